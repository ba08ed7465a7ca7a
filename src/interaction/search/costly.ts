import { fhirError } from '../../fhir/error.ts';
import { DeadlinePassed, TooManyToSort } from '../../store/port/errors.ts';

/** A search that exceeds its deadline returns no partial answer. https://hl7.org/fhir/R4/search.html#errors */
export function refuseCostly<T>(work: Promise<T>): Promise<T> {
  return work.catch(throwCostly);
}

function throwCostly(error: unknown): never {
  if (error instanceof TooManyToSort) {
    const text =
      `More than ${error.most} resources match, and no index has this order. Narrow the search, by a patient or a ` +
      'code, or sort by `_id`, `_lastUpdated` or one date.';
    throw fhirError(403, 'too-costly', text, 'http._sort');
  }
  if (!(error instanceof DeadlinePassed)) throw error;
  throw fhirError(
    403,
    'too-costly',
    'The search takes too long. Narrow it, by a patient, a code or a shorter range of dates; name fewer types, ' +
      'chains or includes, or omit the total.',
  );
}
