import { setImmediate } from 'node:timers/promises';
import { DeadlinePassed } from '../../store/port/errors.ts';
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
