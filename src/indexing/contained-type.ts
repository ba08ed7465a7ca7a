import type { Entries } from './reading.ts';

/** The types of contained resources, as codes. https://hl7.org/fhir/R4/references.html#contained */
export const containedTypeEntries: Entries = (_type, emit) => value => {
  const { resourceType } = value as { resourceType?: unknown }; // stored JSON
  if (typeof resourceType !== 'string') return;
  emit({ kind: 'token', system: undefined, code: resourceType, caseSensitive: true });
};
