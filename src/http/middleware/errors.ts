import { FhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import { storeFailure } from '../../interaction/store-failure.ts';
import type { Log } from '../../observability/log.ts';
import { StoreUnavailable } from '../../store/errors.ts';
import type { Middleware, Respond } from '../context.ts';

/** Milliseconds for which a store that cannot be reached, or cannot write, is reported once. */
const quiet = 10_000;

/**
 * Answers what the steps below throw: a FhirError with its status and OperationOutcome, a failure of the store as that says;
 * anything else is a fault, logged with the request id and answered 500 with that id and no inner text.
 * https://hl7.org/fhir/R4/http.html#Status-Codes
 */
export function answerErrors(respond: Respond, log: Log, now: () => number): Middleware {
  let told = -Infinity;
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const known = error instanceof FhirError ? error : storeFailure(error);
      const failure = known ?? fault(context.state.requestId);
      const unavailable = [error, known?.cause].find(one => one instanceof StoreUnavailable);
      if (known === undefined) log.fault(error, context.state.requestId);
      // A read that failed is of this request alone; the rest would be reported with each request.
      const isOwn = unavailable?.reason === 'exception';
      if (unavailable !== undefined && (isOwn || now() - told >= quiet)) {
        if (!isOwn) told = now();
        log.fault(unavailable, context.state.requestId);
      }
      const body = JSON.stringify(operationOutcome(failure.issues));
      await respond(context, { status: failure.status, body, headers: failure.headers });
    }
  };
}

const fault = (requestId: string): FhirError =>
  new FhirError(500, [
    {
      severity: 'fatal',
      code: 'exception',
      text: `The server failed on this request. Its log tells more under the request id \`${requestId}\`.`,
    },
  ]);
