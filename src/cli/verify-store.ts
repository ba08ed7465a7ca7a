import type { AttachmentProgress } from '../store/port/blobs.ts';
import type { Store } from '../store/port/store.ts';
import type { StoreProgress } from '../store/port/transfer.ts';
import { counted } from '../observability/counted.ts';
import type { AuditFilter } from '../store/audit/line.ts';
import { count, printable } from './print.ts';
import { createProgress } from './progress.ts';
import type { Opened } from './open.ts';

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

const units: Readonly<Record<StoreProgress['step'], string>> = {
  file: 'files',
  records: 'records',
  versions: 'older versions',
  values: 'values',
  indexes: 'records compared',
};

/**
 * Prints the findings of the store apart from attachments and the audit log, or of one partition; returns their number.
 */
export async function verifyStore(store: Store, partition: string | undefined): Promise<number> {
  let progress = createProgress(units.file, process.stderr, Date.now);
  let before: StoreProgress['step'] = 'file';
  const checked = new Map<StoreProgress['step'], number>();
  let found = 0;
  for await (const step of store.verify({ partition })) {
    if (step.step === 'attachments') continue;
    if (step.step !== before) {
      progress.end();
      progress = createProgress(units[step.step], process.stderr, Date.now);
      before = step.step;
    }
    progress.update(step.checked, step.of);
    checked.set(step.step, step.checked);
    found += step.findings.length;
    for (const { is, partition: of = '-', what, why } of step.findings)
      console.log([of, is, what, why].map(printable).join('\t'));
  }
  progress.end();
  const [records, versions] = [checked.get('records') ?? 0, checked.get('versions') ?? 0];
  const read = `${counted(records, 'record')} and ${counted(versions, 'older version')} checked`;
  console.log(`${read}, ${counted(found, 'finding')}.`);
  return found;
}

/** Prints the findings of attachments; returns their number. */
export async function verifyAttachments(store: Store, partitions: readonly string[]): Promise<number> {
  const progress = createProgress('attachments', process.stderr, Date.now);
  let [total, found, waiting, trashed] = [0, 0, 0, 0];
  for (const id of partitions) {
    let last: AttachmentProgress | undefined;
    try {
      for await (const step of store.verify({ partition: id, only: 'attachments' })) {
        if (step.step !== 'attachments') continue;
        last = step;
        found += step.findings.length;
        progress.update(step.checked, step.of, id);
        for (const { is, digest, records } of step.findings) console.log([id, is, digest, ...records].join('\t'));
      }
    } catch (error) {
      found += 1;
      console.log([id, 'file', 'attachments', `cannot be compared: ${reasonOf(error)}`].map(printable).join('\t'));
    }
    total += last?.checked ?? 0;
    waiting += last?.waiting ?? 0;
    trashed += last?.trashed ?? 0;
  }
  progress.end();
  console.log(`${counted(total, 'attachment')} checked, ${counted(found, 'finding')}.`);
  if (waiting + trashed > 0)
    console.log(`Without a record: ${counted(waiting, 'attachment')} kept for 7 days, ${count(trashed)} in the trash.`);
  return found;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
