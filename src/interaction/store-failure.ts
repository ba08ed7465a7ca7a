import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import { IndexPending, PromiseLacking, RecordTooLarge, StoreBusy, StoreUnavailable } from '../store/port/errors.ts';
import { longestRecord } from '../store/port/records.ts';
import type { UnavailableReason } from '../store/port/errors.ts';

/** Throws the error for the client of a store failure, with that as its cause; any other error unchanged. */
export function throwStoreFailure(error: unknown): never {
  const failure = storeFailure(error);
  throw failure === undefined ? error : Object.assign(failure, { cause: error });
}

/**
 * The error for the client of a store failure: 503 with Retry-After if it is temporary, 413 and 501 for what the store
 * does not support. Undefined for any other error. https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export function storeFailure(error: unknown): FhirError | undefined {
  if (error instanceof StoreBusy) {
    return fhirError(503, 'throttled', 'Too many searches are running. Retry later.', undefined, {
      'Retry-After': '5',
    });
  }
  if (error instanceof IndexPending) {
    const text = `The search index of ${error.type} is being built: \`${error.param}\`. Retry later, or omit it.`;
    return fhirError(503, 'incomplete', text, undefined, { 'Retry-After': '10' });
  }
  if (error instanceof StoreUnavailable) {
    return fhirError(503, error.reason, unavailableTexts[error.reason], undefined, { 'Retry-After': '5' });
  }
  if (error instanceof RecordTooLarge) {
    const text = `${error.type}/${error.id} exceeds the size limit of ${longestRecord} bytes per record.`;
    return fhirError(413, 'too-long', text);
  }
  if (error instanceof PromiseLacking) return fhirError(501, 'not-supported', error.lack.why);
  return undefined;
}

const unavailableTexts: Readonly<Record<UnavailableReason, string>> = {
  'no-store': 'The store is not available or cannot write. Retry later.',
  timeout: 'The store did not answer in time. Retry later.',
  transient: 'The store was interrupted for a moment. Retry.',
  exception: 'The store cannot read what this request needs; its operator has been informed. Other requests work.',
};
