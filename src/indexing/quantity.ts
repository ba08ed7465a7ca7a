import { canonicalUnit } from '../fhir/canonical-unit.ts';
import { exactDecimal, nearestNumber, plus, times } from '../fhir/decimal.ts';
import type { QuantityValue } from './entry.ts';
import { rangeEnds } from './number.ts';
import type { Entries } from './reading.ts';

/**
 * The smallest and the largest of the values in a SampledData: `origin + factor × number`, without rounding. Beyond
 * its detection limits (`L`, `U`) it extends to the end of numbers; an error (`E`) is no value. Undefined without any
 * value.
 * https://hl7.org/fhir/R4/datatypes.html#SampledData
 */
function sampledEnds(value: unknown): { readonly low: number; readonly high: number } | undefined {
  const { origin, factor = 1, data } = value as Stored;
  const start = origin?.value;
  if (typeof start !== 'number' || !Number.isFinite(start) || typeof data !== 'string') return undefined;
  if (typeof factor !== 'number' || !Number.isFinite(factor)) return undefined;
  let [least, most] = [Infinity, -Infinity];
  let [below, above] = [false, false];
  for (const [text] of data.matchAll(/\S+/g)) {
    if (text === 'L') below = true;
    else if (text === 'U') above = true;
    const number = Number(text);
    if (!Number.isFinite(number)) continue;
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  const scaled = (least === Infinity ? [] : [least, most]).map(number =>
    nearestNumber(plus(exactDecimal(start), times(exactDecimal(number), exactDecimal(factor)))),
  );
  if (scaled.length === 0 && !below && !above) return undefined;
  const [isLow, isHigh] = factor < 0 ? [above, below] : [below, above];
  return {
    low: isLow || scaled.length === 0 ? -Number.MAX_VALUE : Math.min(...scaled),
    high: isHigh || scaled.length === 0 ? Number.MAX_VALUE : Math.max(...scaled),
  };
}

/** A SampledData of stored JSON: members are checked before use. */
interface Stored {
  readonly origin?: { readonly value?: unknown } | null;
  readonly factor?: unknown;
  readonly data?: unknown;
}

const bytes = new DataView(new ArrayBuffer(8));

/** The largest number below another one, which is finite: the end of an interval that does not include it. */
export function numberBelow(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  bytes.setFloat64(0, value);
  bytes.setBigUint64(0, bytes.getBigUint64(0) + (value > 0 ? -1n : 1n));
  return Math.max(bytes.getFloat64(0), -Number.MAX_VALUE);
}

/** The smallest number above another one, which is finite. */
export const numberAbove = (value: number): number => 0 - numberBelow(0 - value);

/**
 * Quantities with their system, code and unit: one with a comparator extends from its value to the end of numbers (`<=
 * 5` from the smallest number to 5, `< 5` to the number before 5), a Range from end to end, SampledData from its
 * smallest value to its largest, Money has its currency as code. With a UCUM unit they also have their canonical form.
 * https://hl7.org/fhir/R4/search.html#quantity
 */
export const quantityEntries: Entries = (type, emit) => {
  switch (type.code) {
    case 'Quantity':
    case 'Age':
    case 'Count':
    case 'Distance':
    case 'Duration':
      return value => {
        const { value: number, comparator } = value as StoredQuantity;
        if (typeof number !== 'number' || !Number.isFinite(number)) return;
        const low = comparator === '<' || comparator === '<=' ? -Number.MAX_VALUE : number;
        const high = comparator === '>' || comparator === '>=' ? Number.MAX_VALUE : number;
        const without = comparator === '<' ? 'high' : comparator === '>' ? 'low' : undefined;
        emit(quantityValue({ low, high, without }, unitOf(value as StoredQuantity)));
      };
    case 'SampledData':
      return value => {
        const ends = sampledEnds(value);
        const { origin } = value as { origin?: StoredQuantity | null }; // stored JSON
        if (ends !== undefined) emit(quantityValue(ends, unitOf(origin ?? {})));
      };
    case 'Money':
      return value => {
        const { value: number, currency } = value as { value?: unknown; currency?: unknown }; // stored JSON
        if (typeof number !== 'number' || !Number.isFinite(number)) return;
        const code = text(currency);
        const system = code === undefined ? undefined : 'urn:iso:std:iso:4217';
        emit(quantityValue({ low: number, high: number }, { system, code, unit: code }));
      };
    case 'Range':
      return value => {
        const ends = rangeEnds(value);
        if (ends === undefined) return;
        const { low, high } = value as { low?: StoredQuantity | null; high?: StoredQuantity | null }; // stored JSON
        emit(quantityValue(ends, unitOf(low ?? high ?? {})));
      };
    default:
      return undefined;
  }
};

type Unit = Pick<QuantityValue, 'system' | 'code' | 'unit'>;

/** The interval of a quantity. */
interface Ends {
  readonly low: number;
  readonly high: number;
  /** The end that is not included. */
  readonly without?: 'low' | 'high' | undefined;
}

/** A quantity with its canonical form. */
export function quantityValue(ends: Ends, unit: Unit): QuantityValue {
  const base = canonicalUnit(unit.system, unit.code);
  const { low, high, without } = ends;
  const canonical = base && {
    unit: base.unit,
    ...closed({ low: base.convert(low), high: base.convert(high), without }),
  };
  return { kind: 'quantity', ...closed(ends), ...unit, canonical };
}

const closed = ({ low, high, without }: Ends): { low: number; high: number } => ({
  low: without === 'low' ? numberAbove(low) : low,
  high: without === 'high' ? numberBelow(high) : high,
});

/** A stored Quantity, whose members are checked before use. */
interface StoredQuantity {
  readonly value?: unknown;
  readonly comparator?: unknown;
  readonly system?: unknown;
  readonly code?: unknown;
  readonly unit?: unknown;
}

const unitOf = ({ system, code, unit }: StoredQuantity): Unit => ({
  system: text(system),
  code: text(code),
  unit: text(unit),
});

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
