import { fhirError } from '../fhir/error.ts';
import { IndexPending, StoreBusy } from '../store/store.ts';

/**
 * What a client is told of a failure of the store that passes by itself: 503 with Retry-After. Anything else is thrown on as it
 * came. https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export function throwStoreFailure(error: unknown): never {
  if (error instanceof StoreBusy) {
    throw fhirError(503, 'throttled', 'Other searches take all the time there is. Ask again later.', undefined, {
      'Retry-After': '5',
    });
  }
  if (error instanceof IndexPending) {
    const text = `The search index of ${error.type} is being built: \`${error.param}\`. Ask again later, or without it.`;
    throw fhirError(503, 'incomplete', text, undefined, { 'Retry-After': '10' });
  }
  throw error;
}
