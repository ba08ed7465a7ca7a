import { asString, isObject, objectsOf } from '../definitions/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Model } from '../model/model.ts';
import { shorten } from './report.ts';
import type { Report } from './report.ts';

/**
 * Reports a value that is not from the ValueSet of its required binding: a code, a Coding, or a CodeableConcept, of which one
 * coding must be. Nothing is said where not all codes of the ValueSet are known here.
 * https://hl7.org/fhir/R4/terminologies.html#required
 */
export function checkCode(value: unknown, valueSet: string, model: Pick<Model, 'codes'>, report: Report): void {
  const known = model.codes(valueSet);
  if (known === undefined) return;
  const suggestions = (code: string): string => {
    const all = [...known.codes];
    const some = all.slice(0, 12).map(code => `\`${code}\``);
    return `${didYouMean(code, all)} It must be one of ${some.join(', ')}${all.length > 12 ? ', …' : ''}.`;
  };
  if (typeof value === 'string') {
    if (!known.has(value)) {
      report.add('code-invalid', `\`${shorten(value)}\` is no code of \`${valueSet}\`.${suggestions(value)}`);
    }
    return;
  }
  if (!isObject(value)) return;
  const codings = 'coding' in value ? objectsOf(value['coding']) : 'code' in value ? [value] : [];
  const given = codings.map(({ system, code }) => ({ system: asString(system) ?? '', code: asString(code) ?? '' }));
  if (given.some(({ system, code }) => known.has(code, system))) return;
  const quoted = given.map(({ system, code }) => `\`${shorten(`${system}|${code}`)}\``);
  const what = given.length === 0 ? 'No coding is given' : `${quoted.join(', ')} is not in the ValueSet`;
  const text = `${what}, and this element takes its codes from \`${valueSet}\`.${suggestions(given[0]?.code ?? '')}`;
  report.add('code-invalid', text);
}
