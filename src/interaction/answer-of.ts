import { FhirError } from '../fhir/error.ts';
import { storeFailure } from './store-failure.ts';

/** The error for the client, and whether it is a fault of the server, which is logged. */
export interface ErrorAnswer {
  readonly failure: FhirError;
  readonly isFault: boolean;
}

/**
 * The answer to an error: a FhirError is itself, a failure of the store as store-failure.ts defines; any other is 500
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
