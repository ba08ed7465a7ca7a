import { asString, isObject } from '../../definitions/json-object.ts';
import { shorten } from '../report.ts';
import type { ValueCheck } from './walk.ts';

/**
 * A Coding whose system is loaded whole must be of a code that the system has, whatever the binding.
 * https://hl7.org/fhir/R4/datatypes.html#Coding
 */
export const checkCoding: ValueCheck = ({ value }, { findings, terminology }) => {
  if (!isObject(value)) return;
  const [system, code] = [asString(value['system']), asString(value['code'])];
  if (system === undefined || code === undefined) return;
  const has = terminology.has(system, code);
  if (has === true) return;
  if (has === undefined) {
    if (!terminology.isValueSet(system)) return;
    const text = `\`${shorten(system)}\` is a ValueSet; the system of a code is a CodeSystem.`;
    findings.add({ severity: 'error', code: 'code-invalid', text, rule: 'coding' });
    return;
  }
  const text = `\`${shorten(code)}\` is no code of the system \`${shorten(system)}\`.`;
  findings.add({ severity: 'error', code: 'code-invalid', text, rule: 'coding' });
};
