import { parseReference } from '../fhir/reference.ts';
import type { Entries } from './reading.ts';
import { referenceEntries } from './reference.ts';

/**
 * References as they are indexed, but those to a version of a record are URLs as written, `Patient/1/_history/2`.
 * https://hl7.org/fhir/R4/references.html#literal
 */
export const versionEntries: Entries = (type, emit, ...rest) => {
  const plain = referenceEntries(type, emit, ...rest);
  if (type.code !== 'Reference') return plain;
  return (value, parent, key) => {
    const { reference } = value as { reference?: unknown }; // stored JSON
    const parsed = typeof reference === 'string' ? parseReference(reference) : undefined;
    if (typeof reference === 'string' && parsed !== undefined && 'version' in parsed)
      emit({ kind: 'reference', type: undefined, id: undefined, url: reference, version: undefined });
    else plain?.(value, parent, key);
  };
};
