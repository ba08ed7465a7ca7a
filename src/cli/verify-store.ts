import type { AttachmentProgress } from '../store/port/blobs.ts';
import type { Store } from '../store/port/store.ts';
import type { StoreProgress } from '../store/port/transfer.ts';
import { printable } from './printable.ts';
import { count, createProgress } from './progress.ts';
import { counted } from '../observability/counted.ts';

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
