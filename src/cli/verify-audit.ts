import { counted } from '../observability/counted.ts';
import type { AuditFilter, Store } from '../store/store.ts';
import { printable } from './printable.ts';

/** While a server runs, what was begun so many milliseconds ago may be under way. */
const underWay = 60_000;

/**
 * Prints what is wrong with the audit log, and which writes were begun and not done; gives how many findings that is.
 */
export async function verifyAudit(store: Store, filter: AuditFilter): Promise<number> {
  const { unfinishedWrites } = await import('../audit/unfinished.ts');
  let found = 0;
  for await (const { chain, line, is } of store.audit.verify()) {
    if (is !== 'torn') found += 1;
    console.log(['audit', is, chain, line ?? '-'].join('\t'));
  }
  const until = (await store.served()) ? Date.now() - underWay : Infinity;
  let unwritten = 0;
  for (const { partition: id, recorded, client, targets } of await unfinishedWrites(store.audit, filter)) {
    const partition = recorded < until ? await store.partition(id) : undefined;
    const keys = targets.map(target => target.split('/')).map(([type = '', id = '']) => ({ type, id }));
    if (partition === undefined || (await partition.readMany(keys)).length > 0) continue;
    unwritten += 1;
    console.log([id, 'unwritten', new Date(recorded).toISOString(), printable(client ?? '-'), ...targets].join('\t'));
  }
  const begun = counted(unwritten, 'write that was begun and not done', 'writes that were begun and not done');
  console.log(`Audit log: ${counted(found, 'finding')}, ${begun}.`);
  return found;
}
