import { operationOutcome } from '../../fhir/outcome.ts';
import { answerOf } from '../../interaction/answer-of.ts';
import type { Log } from '../../observability/log.ts';
import { StoreUnavailable } from '../../store/port/errors.ts';
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
      const { failure, isFault } = answerOf(error, context.state.requestId);
      const unavailable = [error, failure.cause].find(one => one instanceof StoreUnavailable);
      if (isFault) log.fault(error, context.state.requestId);
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
