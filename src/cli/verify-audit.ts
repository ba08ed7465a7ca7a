import { counted } from '../observability/counted.ts';
import type { AuditFilter } from '../store/audit/line.ts';
import type { Store } from '../store/port/store.ts';
import type { Opened } from './open.ts';
import { printable } from './printable.ts';

/** While a server runs, a write that was begun within this time, in milliseconds, may still be running. */
const underWay = 60_000;

/**
 * Prints the findings of the audit log, the records that it has and the store lacks, and the writes without an outcome;
 * returns the number of findings.
 */
export async function verifyAudit({ store, audit }: Opened, filter: AuditFilter): Promise<number> {
  const { compareWrites } = await import('../audit/compare-writes.ts');
  let found = 0;
  for await (const { chain, line, is } of audit.verify()) {
    if (is !== 'torn') found += 1;
    console.log(['audit', is, chain, line ?? '-'].join('\t'));
  }
  const { served } = await store.check().catch(() => ({ served: true }));
  const until = served ? Date.now() - underWay : Infinity;
  const { lost, more, unfinished } = await compareWrites(audit, store, filter);
  for (const { partition, record, why, recorded, client } of lost) {
    found += 1;
    const event = `${new Date(recorded).toISOString()}, client ${client ?? '-'}`;
    console.log([partition, 'lost', record, `${why} (${event})`].map(printable).join('\t'));
  }
  for (const [partition, others] of more) {
    found += others;
    console.log([partition, 'lost', '-', `${counted(others, 'record')} more`].map(printable).join('\t'));
  }
  let unwritten = 0;
  for (const { partition: id, recorded, client, targets } of unfinished) {
    if (recorded >= until || (await isThere(store, id, targets))) continue;
    unwritten += 1;
    console.log([id, 'unwritten', new Date(recorded).toISOString(), printable(client ?? '-'), ...targets].join('\t'));
  }
  const begun = counted(unwritten, 'write without an outcome', 'writes without an outcome');
  console.log(`Audit log: ${counted(found, 'finding')}, ${begun}.`);
  return found;
}

/** Whether one of the records exists; true if that is unknown, since the partition does not exist or cannot be read. */
async function isThere(store: Store, id: string, targets: readonly string[]): Promise<boolean> {
  const keys = targets.map(target => target.split('/')).map(([type = '', key = '']) => ({ type, id: key }));
  try {
    const partition = await store.partition(id);
    return partition === undefined || (await partition.readMany(keys)).length > 0;
  } catch {
    return true;
  }
}
