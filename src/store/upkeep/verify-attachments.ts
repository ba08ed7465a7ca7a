import type { AttachmentFinding, AttachmentProgress } from '../port/blobs.ts';

/** The attachments of a partition in a store. Digests are SHA-256 in hex; `digits` are their first two. */
export interface KeptBytes {
  /** Their number. */
  count(): Promise<number>;
  /** The attachments that versions of records reference, in any order; one may be returned more than once. */
  references(digits: string): AsyncIterable<Reference>;
  /** The existing files. */
  files(digits: string): AsyncIterable<BytesFile>;
  /** Whether a version references them now. */
  isReferred(digest: string): Promise<boolean>;
  /** Their true size and digest, wherever they are now; undefined if they are missing. */
  measure(digest: string): Promise<Measured | undefined>;
  /** Names of parts that belong to no attachment; none for a store without parts. */
  strays?(): AsyncIterable<string>;
}

export interface Measured {
  readonly digest: string;
  readonly size: number;
  /** They are only in the trash. */
  readonly isTrash: boolean;
}

export interface Reference {
  readonly digest: string;
  readonly size: number;
  /** `Type/id/_history/version` */
  readonly record: string;
}

export interface BytesFile {
  /** Their digest, or the name of a file without one. */
  readonly digest: string;
  /** They are only in the trash. */
  readonly isTrash: boolean;
  /** A sweep should have taken them, if no record references them. */
  readonly isOverdue: boolean;
}

/** Number of files after which progress is reported. */
const step = 100;

/**
 * Reads all attachments of a partition and compares them with versions of records: their size and digest, whether they
 * exist, and whether a record references them. Those that still may get a record, or are in the trash, are counted.
 */
export async function* verifyAttachments(partition: string, kept: KeptBytes): AsyncIterable<AttachmentProgress> {
  const of = await kept.count();
  const byName = new Intl.Collator('en', { numeric: true }); // type, id and version
  let [checked, waiting, trashed] = [0, 0, 0];
  let findings: AttachmentFinding[] = [];
  const compare = async (digest: string, { size, records }: Referred): Promise<void> => {
    const is = damageOf(await kept.measure(digest), digest, size);
    if (is !== undefined) findings.push({ is, digest, records: [...records].sort(byName.compare) });
  };
  for (const digits of allDigits) {
    // Attachments are stored before the records that reference them, so referenced ones exist.
    const referred = await byDigest(kept.references(digits));
    for await (const { digest, isTrash, isOverdue } of kept.files(digits)) {
      const known = referred.get(digest);
      referred.delete(digest);
      if (known !== undefined) await compare(digest, known);
      else if (!(await kept.isReferred(digest))) {
        if (isTrash) trashed += 1;
        else if (isOverdue) findings.push({ is: 'orphan', digest, records: [] });
        else waiting += 1;
      }
      if (isTrash && known === undefined) continue;
      checked += 1;
      if (checked % step > 0) continue;
      yield { step: 'attachments', partition, checked, of: Math.max(of, checked), waiting, trashed, findings };
      findings = [];
    }
    for (const [digest, one] of referred) await compare(digest, one);
  }
  for await (const digest of kept.strays?.() ?? []) findings.push({ is: 'orphan', digest, records: [] });
  yield { step: 'attachments', partition, checked, of: checked, waiting, trashed, findings };
}

interface Referred {
  readonly size: number;
  readonly records: Set<string>;
}

async function byDigest(references: AsyncIterable<Reference>): Promise<Map<string, Referred>> {
  const found = new Map<string, Referred>();
  for await (const { digest, size, record } of references) {
    const known = found.get(digest) ?? { size, records: new Set() };
    known.records.add(record);
    found.set(digest, known);
  }
  return found;
}

function damageOf(found: Measured | undefined, digest: string, size: number): AttachmentFinding['is'] | undefined {
  if (found === undefined) return 'missing';
  if (found.size !== size) return 'size';
  if (found.digest !== digest) return 'digest';
  return found.isTrash ? 'trashed' : undefined;
}

/** The first two digits of digests. */
export const allDigits = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));
