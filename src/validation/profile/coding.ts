import { asString, isObject } from '../../fhir/json-object.ts';
import { ucumSystem } from '../../fhir/ucum.ts';
import { shorten } from '../report.ts';
import type { ValueCheck, Walk } from './walk.ts';

/**
 * The code of a Coding must exist in its system if all codes of that are known, whatever the binding.
 * https://hl7.org/fhir/R4/datatypes.html#Coding
 */
export const checkCoding: ValueCheck = ({ value }, walk) => check(value, walk, 'coding', 'error');

/**
 * Checks the unit of a Quantity in the same way, as an error if the system is UCUM (`mcg`), else as a warning. A write
 * accepts both (policy.ts): many systems write such units, and examples of R4 itself have them.
 * https://hl7.org/fhir/R4/datatypes.html#Quantity
 */
export const checkUnit: ValueCheck = ({ value }, walk) =>
  check(value, walk, unitRule, isObject(value) && value['system'] === ucumSystem ? 'error' : 'warning');

/** The rule that a Quantity has a unit of its system. */
export const unitRule = 'unit';

function check(value: unknown, { findings, terminology }: Walk, rule: string, severity: 'error' | 'warning'): void {
  if (!isObject(value)) return;
  const [system, code] = [asString(value['system']), asString(value['code'])];
  if (system === undefined || code === undefined) return;
  const has = terminology.has(system, code);
  if (has === true) return;
  if (has === undefined) {
    if (!terminology.isValueSet(system)) return;
    const text = `\`${shorten(system)}\` is a ValueSet; the system of a code is a CodeSystem.`;
    findings.add({ severity, code: 'code-invalid', text, rule });
    return;
  }
  const text = `\`${shorten(code)}\` is not a code of the system \`${shorten(system)}\`.`;
  findings.add({ severity, code: 'code-invalid', text, rule });
}
