import type { Entries } from './reading.ts';

/** URIs as they stand, case and all; a canonical with its version. https://hl7.org/fhir/R4/search.html#uri */
export const uriEntries: Entries = (type, emit) => {
  if (!uris.has(type.code)) return undefined;
  return value => {
    if (typeof value === 'string' && value !== '') emit({ kind: 'uri', uri: value });
  };
};

const uris: ReadonlySet<string> = new Set(['uri', 'url', 'canonical', 'oid', 'uuid']);
