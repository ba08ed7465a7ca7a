import { randomUUID } from 'node:crypto';
import type { Step } from '../context.ts';

/**
 * Accepts the client's X-Request-Id if it consists of letters, digits and `.`, `_`, `-`, `:` (64 at most), since it is
 * logged; else generates one, and returns the client's in X-Correlation-Id. https://hl7.org/fhir/R4/http.html#custom
 */
export const requestId: Step = context => {
  const given = context.req.headers['x-request-id'];
  const { state } = context;
  if (typeof given === 'string' && /^[A-Za-z0-9._:-]{1,64}$/.test(given)) state.requestId = given;
  else {
    state.requestId = randomUUID();
    if (typeof given === 'string' && /^[\x20-\x7e]{1,256}$/.test(given)) state.correlationId = given;
  }
};
