import type { InstantRange } from '../../fhir/instant-range.ts';
import { MAX_TIME, MIN_TIME } from '../../fhir/instant-range.ts';
import type { Decimal } from '../../fhir/decimal.ts';
import type { Bound } from '../ast.ts';

/** https://hl7.org/fhir/R4/search.html#prefix */
export const prefixes = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap'] as const;
export type Prefix = (typeof prefixes)[number];

/** Splits the prefix off a value; `eq` without one. The rest must begin like a number or a date. */
export function takePrefix(text: string): { prefix: Prefix; rest: string } {
  const prefix = prefixes.find(prefix => text.startsWith(prefix));
  return prefix === undefined ? { prefix: 'eq', rest: text } : { prefix, rest: text.slice(2) };
}

/**
 * The bounds of a prefix for an entry [low, high) that is compared with the searched interval [from, to): one of the
 * lists must match, with all of its bounds.
 *
 * `eq2020-02` → low >= 2020-02-01, low < 2020-03-01, high <= 2020-03-01. `ge` requires that the entry ends after the
 * start of the searched interval and `le` that it starts before its end, so that both match a period that overlaps it.
 * `ap` requires an overlap with the interval widened on both sides by a tenth of its distance to `now`.
 * https://hl7.org/fhir/R4/search.html#date
 */
export function dateBounds(prefix: Prefix, { low: from, high: to }: InstantRange, now: number): readonly Bound[][] {
  switch (prefix) {
    case 'eq':
      return [[bound('low', '>=', from), bound('low', '<', to), bound('high', '<=', to)]];
    case 'ne':
      return [[bound('low', '<', from)], [bound('high', '>', to)]];
    case 'gt':
      return [[bound('high', '>', to)]];
    case 'lt':
      return [[bound('low', '<', from)]];
    case 'ge':
      return [[bound('high', '>', from)]];
    case 'le':
      return [[bound('low', '<', to)]];
    case 'sa':
      return [[bound('low', '>=', to)]];
    case 'eb':
      return [[bound('high', '<=', from)]];
    case 'ap': {
      const distance = now < from ? from - now : Math.max(now - to, 0);
      const slack = Math.round(distance / 10);
      return [
        [bound('low', '<', Math.min(to + slack, MAX_TIME)), bound('high', '>', Math.max(from - slack, MIN_TIME))],
      ];
    }
    default:
      return prefix satisfies never;
  }
}

/**
 * Compares numbers, whose entries are points (low = high) or ranges with both ends. `eq` and `ne` use the implied
 * precision of the searched value, `ap` a tenth of it if that is wider; all others compare with the exact value.
 * https://hl7.org/fhir/R4/search.html#number
 */
export function numberBounds(prefix: Prefix, { value, low, high }: Decimal): readonly Bound[][] {
  switch (prefix) {
    case 'eq':
      return [[bound('low', '>=', low), bound('high', '<', high)]];
    case 'ne':
      return [[bound('low', '<', low)], [bound('high', '>=', high)]];
    case 'gt':
    case 'sa':
      return [[bound(prefix === 'gt' ? 'high' : 'low', '>', value)]];
    case 'lt':
    case 'eb':
      return [[bound(prefix === 'lt' ? 'low' : 'high', '<', value)]];
    case 'ge':
      return [[bound('high', '>=', value)]];
    case 'le':
      return [[bound('low', '<=', value)]];
    case 'ap': {
      const slack = Math.abs(value) / 10;
      return [[bound('low', '<=', Math.max(value + slack, high)), bound('high', '>=', Math.min(value - slack, low))]];
    }
    default:
      return prefix satisfies never;
  }
}

const bound = (end: Bound['end'], is: Bound['is'], value: number): Bound => ({ end, is, value });
