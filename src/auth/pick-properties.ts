import { stringEnd } from '../fhir/json-layout.ts';
import { valueEnd } from '../fhir/resource-text.ts';
import type { SearchParam } from '../model/model.ts';

/**
 * A pattern of the top-level properties that some parameters read, by their first characters: `value` matches
 * `valueString`, and `_birthDate` comes with `birthDate`. Undefined if the expressions do not tell, so that the whole
 * resource must be read. https://hl7.org/fhirpath/N1/#path-selection
 */
export function propertyPattern(params: readonly SearchParam[]): RegExp | undefined {
  if (params.some(({ expression, components }) => components.length > 0 || nameless.test(expression))) return undefined;
  const words = params.flatMap(({ expression }) => expression.match(element) ?? []);
  // A reference may be to a contained resource.
  return new RegExp(`_?(?:${[...new Set(['resourceType', 'contained', ...words])].join('|')})`, 'y');
}

/** Types begin with capitals, and functions are followed by `(`; `extension(…)` is both a function and an element. */
const element = /\bextension\b|\b(?!(?:is|as|and|or)\b)[a-z]\w*\b(?!\s*\()/g;

/** Functions that read elements without naming them, and names with escapes. */
const nameless = /\b(?:children|descendants|repeat)\b|[`\\]/;

/**
 * The text of a resource reduced to the top-level properties that match the pattern, since parsing the others would
 * dominate the cost of a decision; a name with escapes always matches. A text with white space between its properties
 * is returned unchanged.
 */
export function pickProperties(text: string, names: RegExp): string {
  const escaped = text.includes('\\');
  let part = '';
  for (let at = 1; ;) {
    if (text.charCodeAt(at) !== 0x22) return text;
    const colon = stringEnd(text, at);
    if (text.charCodeAt(colon) !== 0x3a) return text;
    const end = valueEnd(text, colon + 1);
    names.lastIndex = at + 1;
    const wanted = names.test(text) || (escaped && text.slice(at, colon).includes('\\'));
    if (wanted) part += `${part === '' ? '{' : ','}${text.slice(at, end)}`;
    const next = text.charCodeAt(end);
    if (next === 0x7d && end === text.length - 1) return part === '' ? '{}' : `${part}}`;
    if (next !== 0x2c) return text;
    at = end + 1;
  }
}
