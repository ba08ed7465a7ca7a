import type { AuditEntry, AuditFilter } from '../../store/audit/line.ts';

/** Whether an event matches all conditions of a filter. */
export function matchesFilter({ partition, client, patient, since, until }: AuditFilter, entry: AuditEntry): boolean {
  return (
    (partition === undefined || entry.partition === partition) &&
    (client === undefined || entry.client === client) &&
    (patient === undefined || entry.patients.includes(patient)) &&
    (since === undefined || entry.recorded >= since) &&
    (until === undefined || entry.recorded < until)
  );
}

/** Merges several sources, each in the order of time, in the order of time. */
export async function* inOrder(sources: readonly AsyncIterable<AuditEntry>[]): AsyncIterable<AuditEntry> {
  const iterators = sources.map(source => source[Symbol.asyncIterator]());
  try {
    let heads = await Promise.all(iterators.map(async iterator => ({ iterator, next: await iterator.next() })));
    for (;;) {
      heads = heads.filter(({ next }) => next.done !== true);
      const [first, ...others] = heads;
      if (first === undefined) return;
      const least = others.reduce((a, b) => (time(b.next) < time(a.next) ? b : a), first);
      yield least.next.value as AuditEntry; // finished sources have been removed
      least.next = await least.iterator.next();
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}

const time = ({ value }: IteratorResult<AuditEntry, unknown>): number => (value as AuditEntry).recorded;
