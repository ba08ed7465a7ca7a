import { FhirError, fhirError } from '../fhir/error.ts';
import { IndexPending, RecordTooLarge, StoreBusy, StoreUnavailable } from '../store/port/errors.ts';
import type { UnavailableReason } from '../store/port/errors.ts';
import { longestRecord } from '../store/port/records.ts';

/** The error for the client, and whether it is a fault of the server, which is logged. */
export interface ErrorAnswer {
  readonly failure: FhirError;
  readonly isFault: boolean;
}

/**
 * The answer to an error: a FhirError is itself, a failure of the store as below; any other is 500
 * with the request id and no inner text. https://hl7.org/fhir/R4/http.html#Status-Codes
 */
export function answerOf(error: unknown, requestId: string): ErrorAnswer {
  const known = error instanceof FhirError ? error : storeFailure(error);
  return { failure: known ?? fault(requestId), isFault: known === undefined };
}

const fault = (requestId: string): FhirError =>
  new FhirError(500, [
    {
      severity: 'fatal',
      code: 'exception',
      text: `The server failed on this request. Its log has details under the request id \`${requestId}\`.`,
    },
  ]);

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
  return undefined;
}

const unavailableTexts: Readonly<Record<UnavailableReason, string>> = {
  'no-store': 'The store is not available or cannot write. Retry later.',
  timeout: 'The store did not answer in time. Retry later.',
  transient: 'The store was interrupted for a moment. Retry.',
  exception: 'The store cannot read what this request needs; its operator has been informed. Other requests work.',
};
