import { canonicalUnit } from '../fhir/canonical-unit.ts';
import { numberAbove, numberBelow } from '../fhir/next-number.ts';
import { sampledEnds } from '../fhir/sampled-data.ts';
import type { QuantityValue } from './entry.ts';
import { rangeEnds } from './number.ts';
import type { Entries } from './reading.ts';

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
