import { parseCanonical, parseReference } from '../fhir/reference.ts';
import type { Emit, Entries } from './reading.ts';

/**
 * References as written: relative ones by type and id, all others by URL, so that entries do not depend on the public
 * URL of the server; canonicals by URL and version, also relative ones. Search is for the current version, so that of a
 * reference is dropped. A reference to a contained resource, or by identifier alone, has no entry. A resource within a
 * resource (the first of a document) is indexed by its own type and id.
 * https://hl7.org/fhir/R4/search.html#reference
 */
export const referenceEntries: Entries = (type, emit) => {
  switch (type.code) {
    case 'Reference':
      return value => {
        const { reference } = value as { reference?: unknown }; // stored JSON
        if (typeof reference === 'string') emitReference(emit, reference);
      };
    case 'canonical':
    case 'uri':
    case 'url':
    case 'oid':
    case 'uuid':
      return value => {
        if (typeof value === 'string') emitCanonical(emit, value);
      };
    default:
      if (type.definition?.kind !== 'resource') return undefined;
      return value => {
        const { resourceType, id } = value as { resourceType?: unknown; id?: unknown }; // stored JSON
        if (typeof resourceType !== 'string' || typeof id !== 'string') return;
        emit({ kind: 'reference', type: resourceType, id, url: undefined, version: undefined });
      };
  }
};

function emitReference(emit: Emit, text: string): void {
  const parsed = parseReference(text);
  if (parsed === undefined || parsed.kind === 'contained') return;
  if (parsed.kind === 'relative') {
    emit({ kind: 'reference', type: parsed.type, id: parsed.id, url: undefined, version: undefined });
  } else emit({ kind: 'reference', type: undefined, id: undefined, url: parsed.url, version: undefined });
}

function emitCanonical(emit: Emit, text: string): void {
  const { url, version = '', fragment } = parseCanonical(text);
  if (url !== '') emit({ kind: 'reference', type: undefined, id: undefined, url, version });
  else if (fragment !== undefined)
    emit({ kind: 'reference', type: undefined, id: undefined, url: text, version: undefined });
}
