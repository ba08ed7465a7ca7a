import { stringEnd, unquote } from '../../fhir/text-cursor.ts';

/** A string in a resource that may be a link to another one, with the name of its property. */
export interface Link {
  /** `reference` of a Reference, an address such as `url` or `valueUri`, or `href` or `src` in a narrative. */
  readonly property: string;
  readonly text: string;
}

/**
 * The same text with other links: `resolve` returns the replacement, or undefined to keep a link. Nothing else in the
 * text changes. Links between the entries of a Bundle within the text are its own, and stay. Takes compact JSON.
 */
export function rewriteLinks(text: string, resolve: (link: Link) => string | undefined): string {
  const own = fullUrlsIn(text);
  let result = '';
  let from = 0;
  let at = text.indexOf('"');
  while (at !== -1) {
    const start = at;
    at = stringEnd(text, start);
    // A name that a string value follows.
    if (text.charCodeAt(at) === 0x3a && text.charCodeAt(at + 1) === 0x22) {
      const value = at + 1;
      const property = text.slice(start + 1, value - 2);
      at = stringEnd(text, value);
      const target =
        property === 'div' || linkProperties.has(property) ? targetOf(property, text.slice(value, at)) : undefined;
      if (target !== undefined) {
        result += text.slice(from, value) + JSON.stringify(target);
        from = at;
      }
    }
    at = text.indexOf('"', at);
  }
  return from === 0 ? text : result + text.slice(from);

  function resolveOther(link: Link): string | undefined {
    return own.has(link.text) ? undefined : resolve(link);
  }

  function targetOf(property: string, quoted: string): string | undefined {
    const plain = unquote(quoted);
    return property === 'div' ? rewriteNarrative(plain, resolveOther) : resolveOther({ property, text: plain });
  }
}

/** The links in a resource. */
export function linksIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  rewriteLinks(text, link => {
    found.add(link.text);
    return undefined;
  });
  return found;
}

/** The fullUrls of a Bundle within a resource. https://hl7.org/fhir/R4/bundle.html#references */
function fullUrlsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/"fullUrl":("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '""']) => unquote(quoted)));
}

/**
 * A narrative with other addresses in `<a href>` and `<img src>`; undefined if none is replaced.
 * https://hl7.org/fhir/R4/narrative.html
 */
function rewriteNarrative(div: string, resolve: (link: Link) => string | undefined): string | undefined {
  const rewritten = div.replace(address, (whole: string, property: string, quote: string, escaped: string) => {
    const target = resolve({ property, text: escaped.replaceAll('&amp;', '&') });
    return target === undefined ? whole : `${property}=${quote}${target.replaceAll('&', '&amp;')}${quote}`;
  });
  return rewritten === div ? undefined : rewritten;
}

/** An attribute of a tag; its value is compared as a whole, so that other texts stay as they are. */
const address = /(?<=[\s"'])(href|src)=(["'])([^"'<>]*)\2/g;

/** https://hl7.org/fhir/R4/http.html#transaction: references, and elements with a URL */
const linkProperties: ReadonlySet<string> = new Set([
  'reference',
  'url',
  'uri',
  'valueUri',
  'valueUrl',
  'valueOid',
  'valueUuid',
]);
