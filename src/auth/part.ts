import { stringEnd } from '../fhir/json-layout.ts';
import { valueEnd } from '../fhir/resource-text.ts';
import type { SearchParam } from '../model/model.ts';

/**
 * The names of the top properties that some parameters look at, as their beginnings: `value` is that of `valueString`, and
 * `_birthDate` holds what belongs to `birthDate`. Undefined where that cannot be told, so that the whole resource is to be read.
 * https://hl7.org/fhirpath/N1/#path-selection
 */
export function namesOf(params: readonly SearchParam[]): RegExp | undefined {
  if (params.some(({ expression, components }) => components.length > 0 || nameless.test(expression))) return undefined;
  const words = params.flatMap(({ expression }) => expression.match(element) ?? []);
  // A reference may be to a contained resource.
  return new RegExp(`_?(?:${[...new Set(['resourceType', 'contained', ...words])].join('|')})`, 'y');
}

/** Types begin with capitals, and functions are followed by `(`; `extension(…)` is both a function and an element. */
const element = /\bextension\b|\b(?!(?:is|as|and|or)\b)[a-z]\w*\b(?!\s*\()/g;

/** What reads elements without their names, and names with escapes in them. */
const nameless = /\b(?:children|descendants|repeat)\b|[`\\]/;

/**
 * The text of a resource with the top properties alone whose names begin so, since reading the others would cost more
 * than all the rest of a decision; a name with escapes may be any. A text with white space between its properties is given back
 * as it is.
 */
export function partOf(text: string, names: RegExp): string {
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
