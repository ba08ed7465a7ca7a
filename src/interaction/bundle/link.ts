import { stringEnd, unquote } from '../../fhir/text-cursor.ts';

/** A string in a resource that may be a link to another one, with the name of its property. */
export interface Link {
  /** `reference` of a Reference, or an address such as `url` or `valueUri`. */
  readonly property: string;
  readonly text: string;
}

/**
 * The same text with other links: `resolve` returns the replacement, or undefined to keep a link. Nothing else in the
 * text changes. Takes compact JSON.
 */
export function rewriteLinks(text: string, resolve: (link: Link) => string | undefined): string {
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
      const target = linkProperties.has(property)
        ? resolve({ property, text: unquote(text.slice(value, at)) })
        : undefined;
      if (target !== undefined) {
        result += text.slice(from, value) + JSON.stringify(target);
        from = at;
      }
    }
    at = text.indexOf('"', at);
  }
  return from === 0 ? text : result + text.slice(from);
}

/** https://hl7.org/fhir/R4/http.html#transaction: references, and elements with a URL */
const linkProperties: ReadonlySet<string> = new Set(['reference', 'url', 'uri', 'valueUri', 'valueUrl']);
