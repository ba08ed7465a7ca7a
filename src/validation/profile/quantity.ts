import type { JsonObject } from '../../fhir/json-object.ts';
import { convertUnit, ucumSystem } from '../../fhir/ucum.ts';

/** Whether a Quantity has a number and a UCUM unit, so that it can be compared across units. */
export const isMeasured = ({ value, system, code }: JsonObject): boolean =>
  typeof value === 'number' && system === ucumSystem && typeof code === 'string';

/**
 * Negative if a measured Quantity is less than another one, positive if it is more, whatever their units; undefined if
 * the units are not comparable. `spend` receives the cost of parsing the units.
 * https://hl7.org/fhir/R4/datatypes.html#Quantity
 */
export function compareQuantities(a: JsonObject, b: JsonObject, spend: (cost: number) => void): number | undefined {
  const [from, to] = [String(a['code']), String(b['code'])];
  if (from !== to) spend(from.length * from.length);
  const value = convertUnit(Number(a['value']), from, to);
  if (value === undefined) return undefined;
  const other = Number(b['value']);
  // Conversion rounds: 5 10*3/uL are 4.999999999999999 10*9/L.
  const isEqual = from !== to && Math.abs(value - other) <= 1e-9 * Math.max(Math.abs(value), Math.abs(other));
  return isEqual ? 0 : value - other;
}
