import { setImmediate } from 'node:timers/promises';
import { DeadlinePassed, TooManyToSort } from '../../store/port/errors.ts';
import { fhirError } from '../../fhir/error.ts';
import type { SearchedPartition } from './joined.ts';

/** How long the reads of one search may follow each other until other requests have their turn, in milliseconds. */
const turn = 20;

/**
 * The reads of one search: stores limit the time of each of them, this limits that of all together, such as those of
 * many types, chains and includes. A read that begins later than `deadline` milliseconds after the first one rejects
 * with `DeadlinePassed`.
 */
export function withDeadline(partition: SearchedPartition, deadline: number): SearchedPartition {
  let end = Infinity;
  let turned = 0;
  const begin = (): Promise<void> | undefined => {
    const now = performance.now();
    if (end === Infinity) {
      end = now + deadline;
      turned = now;
    } else if (now >= end) return Promise.reject(new DeadlinePassed(deadline));
    return now - turned > turn ? rest() : undefined;
  };
  const rest = async (): Promise<void> => {
    await setImmediate();
    turned = performance.now();
  };
  const { id, settings, timeOf } = partition;
  return {
    id,
    settings,
    timeOf,
    unlimited: partition,
    search: (type, search) => after(begin(), () => partition.search(type, search)),
    count: (type, query) => after(begin(), () => partition.count(type, query)),
    types: referringTo => after(begin(), () => partition.types(referringTo)),
    read: (...key) => after(begin(), () => partition.read(...key)),
    readMany: keys => after(begin(), () => partition.readMany(keys)),
  };
}

function after<T>(waiting: Promise<void> | undefined, read: () => Promise<T>): Promise<T> {
  return waiting === undefined ? read() : waiting.then(read);
}

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
