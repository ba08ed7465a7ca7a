import { generate } from './generate.ts';
import type { GenerateOptions } from './generate.ts';

/**
 * Queries with results in the generated records, as paths under the base URL; those of undeclared types are omitted.
 */
export function examples(records: GenerateOptions, types: { has(type: string): boolean }): string[] {
  const chart = firstChartWithBooking(records);
  const family = (chart.patient.name as { family: string }[])[0]?.family ?? '';
  const queries: [type: string, query: string][] = [
    ['Patient', `family=${encodeURIComponent(family).replaceAll("'", '%27')}&_count=3`],
    ['Observation', `patient=Patient/${chart.patient.id}&category=vital-signs&_count=5`],
    ['Appointment', `patient=Patient/${chart.patient.id}&date=ge${records.date}&status=booked`],
  ];
  return queries.filter(([type]) => types.has(type)).map(([type, query]) => `${type}?${query}`);
}

/** A record that a client may create or update by PUT, and its path under the base URL; undefined if none may. */
export function writeExample(
  types: ReadonlyMap<string, { readonly interactions: ReadonlySet<string>; readonly updateCreate: boolean }>,
): { readonly path: string; readonly body: string } | undefined {
  const body = { resourceType: 'Patient', id: 'my-patient', name: [{ family: 'Roy' }] };
  const type = types.get(body.resourceType);
  if (type?.updateCreate !== true || !type.interactions.has('update')) return undefined;
  return { path: `${body.resourceType}/${body.id}`, body: JSON.stringify(body) };
}

interface Read {
  readonly resourceType: string;
  readonly id: string;
  readonly [element: string]: unknown;
}

/** The first patient with a booked appointment, or the first patient if there is none. */
function firstChartWithBooking(records: GenerateOptions): { patient: Read } {
  let first: Read | undefined;
  let current: Read | undefined;
  for (const { text } of generate(records)) {
    const record = JSON.parse(text) as Read;
    if (record.resourceType === 'Patient') current = record;
    first ??= current;
    if (record['status'] === 'booked' && current !== undefined) return { patient: current };
  }
  if (first === undefined) throw new RangeError('There are no patients');
  return { patient: first };
}
