import type { Entries } from './reading.ts';
import { emitToken, text } from './token.ts';

/**
 * The identifiers of references, for `:identifier`: of those that name the resource by its identifier, also beside a
 * literal reference. https://hl7.org/fhir/R4/search.html#reference
 */
export const referenceIdentifierEntries: Entries = (type, emit) => {
  if (type.code !== 'Reference') return undefined;
  return reference => {
    // stored JSON
    const { identifier } = reference as { identifier?: { system?: unknown; value?: unknown } | null };
    emitToken(emit, text(identifier?.system), text(identifier?.value), false);
  };
};
