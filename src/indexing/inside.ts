import type { Entries } from './reading.ts';

/**
 * The resources inside of a record to which a reference leads, for candidates of a chain: the ids of contained ones, as
 * URIs, and the JSON of those that are values themselves, as texts. https://hl7.org/fhir/R4/references.html#contained
 */
export const insideEntries: Entries = (type, emit) => {
  const addId = (reference: unknown): void => {
    if (typeof reference === 'string' && reference.startsWith('#')) emit({ kind: 'uri', uri: reference.slice(1) });
  };
  switch (type.code) {
    case 'Reference':
      return value => {
        addId((value as { reference?: unknown }).reference); // stored JSON
      };
    case 'canonical':
    case 'uri':
    case 'url':
    case 'oid':
    case 'uuid':
      return addId;
    default:
      if (type.definition?.kind !== 'resource') return undefined;
      return value => {
        emit({ kind: 'string', text: JSON.stringify(value), folded: '' });
      };
  }
};
