import { fhirError } from '../fhir/error.ts';
import {
  IndexPending,
  longestRecord,
  PromiseLacking,
  RecordTooLarge,
  StoreBusy,
  StoreUnavailable,
} from '../store/store.ts';

/**
 * What a client is told of a failure of the store: 503 with Retry-After where it passes by itself, 413 and 501 for what the store
 * cannot take. Anything else is thrown on as it came. https://hl7.org/fhir/R4/valueset-issue-type.html
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
  if (error instanceof StoreUnavailable) {
    const text = error.reason === 'timeout' ? 'The store did not answer in time.' : 'The store cannot be reached.';
    throw fhirError(503, error.reason, `${text} Ask again later.`, undefined, { 'Retry-After': '5' });
  }
  if (error instanceof RecordTooLarge) {
    const text = `${error.type}/${error.id} is longer than the ${longestRecord} bytes that a record may have.`;
    throw fhirError(413, 'too-long', text);
  }
  if (error instanceof PromiseLacking) throw fhirError(501, 'not-supported', error.lack.why);
  throw error;
}
