import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import { IndexPending, PromiseLacking, RecordTooLarge, StoreBusy, StoreUnavailable } from '../store/errors.ts';
import { longestRecord } from '../store/records.ts';
import type { UnavailableReason } from '../store/errors.ts';

/** Throws what a client is told of a failure of the store, with that as its cause; anything else as it came. */
export function throwStoreFailure(error: unknown): never {
  const failure = storeFailure(error);
  throw failure === undefined ? error : Object.assign(failure, { cause: error });
}

/**
 * What a client is told of a failure of the store: 503 with Retry-After where it passes by itself, 413 and 501 for what the store
 * cannot take. Undefined for anything else. https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export function storeFailure(error: unknown): FhirError | undefined {
  if (error instanceof StoreBusy) {
    return fhirError(503, 'throttled', 'Too many searches are running. Retry later.', undefined, {
      'Retry-After': '5',
    });
  }
  if (error instanceof IndexPending) {
    const text = `The search index of ${error.type} is being built: \`${error.param}\`. Ask again later, or without it.`;
    return fhirError(503, 'incomplete', text, undefined, { 'Retry-After': '10' });
  }
  if (error instanceof StoreUnavailable) {
    return fhirError(503, error.reason, unavailableTexts[error.reason], undefined, { 'Retry-After': '5' });
  }
  if (error instanceof RecordTooLarge) {
    const text = `${error.type}/${error.id} is longer than the ${longestRecord} bytes that a record may have.`;
    return fhirError(413, 'too-long', text);
  }
  if (error instanceof PromiseLacking) return fhirError(501, 'not-supported', error.lack.why);
  return undefined;
}

const unavailableTexts: Readonly<Record<UnavailableReason, string>> = {
  'no-store': 'The store cannot be reached or cannot write. Ask again later.',
  timeout: 'The store did not answer in time. Ask again later.',
  transient: 'The store was hindered for a moment. Ask again.',
  exception: 'The store cannot read what this request needs; its operator has been informed. Other requests work.',
};
