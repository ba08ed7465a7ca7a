import { canonicalUnit } from '../fhir/canonical-unit.ts';
import type { QuantityValue } from './entry.ts';
import { rangeEnds } from './number.ts';
import type { Entries } from './reading.ts';

/**
 * Quantities with their system, code and unit: one with a comparator extends from its value to the end of numbers (`<
 * 5` from the smallest number to 5), a Range from end to end, Money has its currency as code. SampledData has no single
 * value. With a UCUM unit they also have their canonical form. https://hl7.org/fhir/R4/search.html#quantity
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
        emit(quantityValue({ low, high }, unitOf(value as StoredQuantity)));
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

/** A quantity with its canonical form. */
export function quantityValue({ low, high }: { low: number; high: number }, unit: Unit): QuantityValue {
  const base = canonicalUnit(unit.system, unit.code);
  const canonical =
    base === undefined ? undefined : { unit: base.unit, low: base.convert(low), high: base.convert(high) };
  return { kind: 'quantity', low, high, ...unit, canonical };
}

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
