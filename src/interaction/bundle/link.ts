import { stringEnd, unquote } from '../../fhir/text-cursor.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { Report } from '../../validation/report.ts';
import { walk } from '../../validation/walk.ts';
import type { VisitedValue } from '../../validation/walk.ts';

/** The strings in a resource that are addresses of resources, among those with the same text. */
interface Addresses {
  /** Whether the next string of the resource with this text is one, in the order of the text. */
  next(text: string): () => boolean;
}

/**
 * The addresses in the compact text of a resource: elements of the types `url` and `uri`. Elements of a `uri` that name
 * something by an absolute one are none: a `system`, and the `url` of extensions and definitions. The types `oid` and
 * `uuid`, which R4 lists too, are none, since a link such as `Patient/1` is no value of them. The text is read at the
 * first use. https://hl7.org/fhir/R4/http.html#trules
 */
function createAddresses(text: string, definitions: TypeDefinitions): Addresses {
  const counts = new Map<string, number>();
  let found: ReadonlyMap<string, readonly boolean[]> | undefined;
  return {
    next: one => {
      const at = counts.get(one) ?? 0;
      counts.set(one, at + 1);
      return () => {
        found ??= stringsIn(JSON.parse(text), definitions);
        return found.get(one)?.[at] === true;
      };
    },
  };
}

/** Whether each string of a resource is an address, in the order of the text, by its text. */
function stringsIn(resource: unknown, definitions: TypeDefinitions): ReadonlyMap<string, readonly boolean[]> {
  const found = new Map<string, boolean[]>();
  walk(resource, definitions, new Report(0), visited => {
    const { value } = visited;
    if (typeof value !== 'string') return;
    const list = found.get(value);
    const isOne = isAddress(visited, definitions);
    if (list === undefined) found.set(value, [isOne]);
    else list.push(isOne);
  });
  return found;
}

function isAddress({ element: { name, path }, type }: VisitedValue, definitions: TypeDefinitions): boolean {
  if (type.code === 'url') return true;
  if (type.code !== 'uri' || name === 'system') return false;
  const [owner = '', ...rest] = path.split('.');
  const isName = name === 'url' && rest.length === 1 && (owner === 'Extension' || isResource(owner, definitions));
  return !isName;
}

const isResource = (name: string, definitions: TypeDefinitions): boolean => definitions.get(name)?.kind === 'resource';

/** A string in a resource that may be a link to another one, with the name of its property. */
export interface EntryLink {
  /** `reference` of a Reference, `href` or `src` in a narrative, else the name of any property. */
  readonly property: string;
  readonly text: string;
}

/**
 * Replaces links in a text: `resolve` is called for each string, and returns the replacement, or undefined to
 * keep it. Replaced are references, addresses in narratives, and elements that addresses.ts defines. Nothing else in
 * the text changes. Links between the entries of a Bundle within the text are its own, and stay. Takes compact JSON.
 */
export function rewriteLinks(
  text: string,
  definitions: TypeDefinitions,
  resolve: (link: EntryLink) => string | undefined,
): string {
  const own = fullUrlsIn(text);
  const addresses = createAddresses(text, definitions);
  let result = '';
  let from = 0;
  let property = '';
  let start = text.indexOf('"');
  while (start !== -1) {
    const end = stringEnd(text, start);
    if (text.charCodeAt(end) === 0x3a) {
      property = text.slice(start + 1, end - 1);
    } else {
      const target = targetOf(unquote(text.slice(start, end)));
      if (target !== undefined) {
        result += text.slice(from, start) + JSON.stringify(target);
        from = end;
      }
    }
    start = text.indexOf('"', end);
  }
  return from === 0 ? text : result + text.slice(from);

  function resolveOther(link: EntryLink): string | undefined {
    return own.has(link.text) ? undefined : resolve(link);
  }

  function targetOf(plain: string): string | undefined {
    if (property === 'div') return rewriteNarrative(plain, resolveOther);
    const target = resolveOther({ property, text: plain });
    if (target === undefined) return undefined;
    const isAddress = addresses.next(plain);
    return property === 'reference' || isAddress() ? target : undefined;
  }
}

/** The references in a resource. */
export function linksIn(text: string, definitions: TypeDefinitions): ReadonlySet<string> {
  const found = new Set<string>();
  rewriteLinks(text, definitions, link => {
    if (link.property === 'reference') found.add(link.text);
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
function rewriteNarrative(div: string, resolve: (link: EntryLink) => string | undefined): string | undefined {
  const rewritten = div.replace(address, (whole: string, property: string, quote: string, escaped: string) => {
    const target = resolve({ property, text: escaped.replaceAll('&amp;', '&') });
    return target === undefined ? whole : `${property}=${quote}${target.replaceAll('&', '&amp;')}${quote}`;
  });
  return rewritten === div ? undefined : rewritten;
}

/** An attribute of a tag; its value is compared as a whole, so that other texts stay as they are. */
const address = /(?<=[\s"'])(href|src)=(["'])([^"'<>]*)\2/g;
