import { FhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import { storeFailure } from '../../interaction/store-failure.ts';
import type { Log } from '../../observability/log.ts';
import { StoreUnavailable } from '../../store/errors.ts';
import type { Middleware, Respond } from '../context.ts';

/** An unreachable or read-only store is reported once in this time, in milliseconds. */
const noticeInterval = 10_000;

/**
 * Answers errors of the following steps: a FhirError with its status and OperationOutcome, a failure of the store as
 * defined there; any other is a fault, logged with the request id and answered 500 with that id and no inner text.
 * https://hl7.org/fhir/R4/http.html#Status-Codes
 */
export function answerErrors(respond: Respond, log: Log, now: () => number): Middleware {
  let lastReported = -Infinity;
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const known = error instanceof FhirError ? error : storeFailure(error);
      const failure = known ?? fault(context.state.requestId);
      const unavailable = [error, known?.cause].find(one => one instanceof StoreUnavailable);
      if (known === undefined) log.fault(error, context.state.requestId);
      // A failed read concerns this request only; the others would be reported with each request.
      const isOwn = unavailable?.reason === 'exception';
      if (unavailable !== undefined && (isOwn || now() - lastReported >= noticeInterval)) {
        if (!isOwn) lastReported = now();
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
      text: `The server failed on this request. Its log has details under the request id \`${requestId}\`.`,
    },
  ]);
