import { FhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { Log } from '../../observability/log.ts';
import type { Middleware, Respond } from '../context.ts';

/**
 * Answers what the steps below throw: a FhirError with its status and OperationOutcome; anything else is a fault, logged with
 * the request id and answered 500 with that id and no inner text. https://hl7.org/fhir/R4/http.html#Status-Codes
 */
export function answerErrors(respond: Respond, log: Log): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const failure = error instanceof FhirError ? error : fault(context.state.requestId);
      if (failure !== error) log.fault(error, context.state.requestId);
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
