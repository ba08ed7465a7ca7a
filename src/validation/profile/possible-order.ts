import { parseInstantRange } from '../../fhir/instant-range.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Rule } from './fast-rules.ts';

/**
 * The rule that a date is not after another one of the same object, for dates of any precision: `2015` may be before
 * `2015-06-30`. True without one of them, and for texts that are no dates, which are reported as such.
 */
export const mayPrecede =
  (earlier: string, later: string): Rule =>
  ({ value }) => {
    const [from, to] = isObject(value) ? [value[earlier], value[later]] : [];
    return typeof from !== 'string' || typeof to !== 'string' || isPossible(from, to);
  };

/**
 * A date without a time is the same day everywhere, and begins and ends with its zones.
 * https://hl7.org/fhirpath/N2/#lowboundaryprecision-integer-decimal--date--datetime--time
 */
function isPossible(from: string, to: string): boolean {
  const [first, last] = from.includes('T') === to.includes('T') ? ['UTC', 'UTC'] : ['Etc/GMT-14', 'Etc/GMT+12'];
  const begin = parseInstantRange(from, first);
  const end = parseInstantRange(to, last);
  return begin === undefined || end === undefined || begin.low < end.high;
}
