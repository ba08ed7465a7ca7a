import { MAX_TIME, MIN_TIME, parseInstantRange, pointAt } from '../fhir/instant-range.ts';
import type { InstantRange } from '../fhir/instant-range.ts';
import type { Emit, Entries } from './reading.ts';

/**
 * Dates as half-open intervals of milliseconds. A `date` and a dateTime without a zone are read in the zone of
 * `dateZone`; an instant is a point, with or without a fraction. A Period with one end is open on the other side; a
 * Timing has the outer limits of its events and bounds. https://hl7.org/fhir/R4/search.html#date
 */
export const dateEntries: Entries = (type, emit, reading, _model, { dataTypes }) => {
  switch (type.code) {
    case 'date':
      return value => {
        emitRange(emit, rangeOf(value, dateZone(dataTypes, reading.zone)));
      };
    case 'dateTime':
      return value => {
        emitRange(emit, rangeOf(value, reading.zone));
      };
    case 'instant':
      return value => {
        const range = rangeOf(value, reading.zone);
        emitRange(emit, range && pointAt(range.low));
      };
    case 'Period':
      return value => {
        emitRange(emit, periodRange(value, reading.zone));
      };
    case 'Timing':
      return value => {
        emitRange(emit, timingRange(value, reading.zone));
      };
    default:
      return undefined;
  }
};

/**
 * The zone in which a parameter reads days and times without an offset, in records and in searches: UTC if all of its
 * elements have the type `date`, else that of the partition. So a day matches its date in both.
 */
export function dateZone(dataTypes: ReadonlySet<string>, partition: string): string {
  return dataTypes.size === 1 && dataTypes.has('date') ? 'UTC' : partition;
}

function emitRange(emit: Emit, range: InstantRange | undefined): void {
  if (range !== undefined) emit({ kind: 'date', low: range.low, high: range.high });
}

const rangeOf = (value: unknown, zone: string): InstantRange | undefined =>
  typeof value === 'string' ? parseInstantRange(value, zone) : undefined;

/** Undefined without ends, for an invalid end, and for an end before the start. */
function periodRange(value: unknown, zone: string): InstantRange | undefined {
  const { start, end } = (value ?? {}) as { start?: unknown; end?: unknown }; // stored JSON
  if (typeof start !== 'string' && typeof end !== 'string') return undefined;
  const from = typeof start === 'string' ? parseInstantRange(start, zone)?.low : MIN_TIME;
  const to = typeof end === 'string' ? parseInstantRange(end, zone)?.high : MAX_TIME;
  return from === undefined || to === undefined || from >= to ? undefined : { low: from, high: to };
}

/** https://hl7.org/fhir/R4/datatypes.html#Timing */
function timingRange(value: unknown, zone: string): InstantRange | undefined {
  // stored JSON
  const { event, repeat } = (value ?? {}) as { event?: unknown; repeat?: { boundsPeriod?: unknown } | null };
  let low = Infinity;
  let high = -Infinity;
  const widen = (range: InstantRange | undefined): void => {
    if (range === undefined) return;
    low = Math.min(low, range.low);
    high = Math.max(high, range.high);
  };
  if (Array.isArray(event)) for (const moment of event as unknown[]) widen(rangeOf(moment, zone));
  widen(periodRange(repeat?.boundsPeriod, zone));
  return low < high ? { low, high } : undefined;
}
