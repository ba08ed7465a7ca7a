import type { Entries } from './reading.ts';

/** Numbers, as points, and Ranges, from end to end. https://hl7.org/fhir/R4/search.html#number */
export const numberEntries: Entries = (type, emit) => {
  switch (type.code) {
    case 'integer':
    case 'positiveInt':
    case 'unsignedInt':
    case 'decimal':
      return value => {
        if (typeof value === 'number' && Number.isFinite(value)) emit({ kind: 'number', low: value, high: value });
      };
    case 'Range':
      return value => {
        const ends = rangeEnds(value);
        if (ends !== undefined) emit({ kind: 'number', ...ends });
      };
    default:
      return undefined;
  }
};

/**
 * The numbers of a Range; a missing end is the largest or smallest number. https://hl7.org/fhir/R4/datatypes.html#Range
 */
export function rangeEnds(value: unknown): { low: number; high: number } | undefined {
  // stored JSON
  const { low, high } = (value ?? {}) as { low?: { value?: unknown } | null; high?: { value?: unknown } | null };
  const from = low?.value;
  const to = high?.value;
  if (typeof from !== 'number' && typeof to !== 'number') return undefined;
  const ends = {
    low: typeof from === 'number' ? from : -Number.MAX_VALUE,
    high: typeof to === 'number' ? to : Number.MAX_VALUE,
  };
  return ends.low <= ends.high && Number.isFinite(ends.low) && Number.isFinite(ends.high) ? ends : undefined;
}
