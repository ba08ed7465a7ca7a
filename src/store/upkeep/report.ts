import type { StoreFinding, StoreProgress } from '../port/transfer.ts';

/** The progress of a part of a verification since its last report, with its findings. */
export interface Checked {
  readonly checked: number;
  readonly findings: readonly StoreFinding[];
}

/** A part of a verification; it is read only when those before it are done. */
export interface Part {
  readonly step: StoreProgress['step'];
  /** The total, if it is known. */
  readonly of?: number;
  readonly read: AsyncIterable<Checked>;
}

/** Reads the parts one after the other and reports progress; each finding once. */
export async function* reportParts(parts: AsyncIterable<Part>): AsyncIterable<StoreProgress> {
  const isNew = createFilter();
  const checked = { file: 0, records: 0, versions: 0, values: 0, indexes: 0 };
  for await (const { step, of, read } of parts)
    for await (const one of read) {
      checked[step] += one.checked;
      yield { step, checked: checked[step], of, findings: one.findings.filter(isNew) };
    }
}

/** Filters duplicate findings. A damaged record is reported once, whatever else follows from its damage. */
function createFilter(): (finding: StoreFinding) => boolean {
  const reported = new Set<string>();
  return ({ is, partition = '', what, why }) => {
    const key = JSON.stringify([partition, what, isOfRecord.has(is) ? '' : why]);
    const isNew = !reported.has(key);
    reported.add(key);
    return isNew;
  };
}

const isOfRecord: ReadonlySet<StoreFinding['is']> = new Set(['altered', 'text', 'stamp']);
