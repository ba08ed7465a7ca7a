import { createHash } from 'node:crypto';
import { overdue } from '../attachment-ages.ts';
import type { AttachmentFinding, AttachmentProgress } from '../blobs.ts';
import { chunks, type FileDocument, files, goingName, isOlder, ofPartition } from './attachment-bucket.ts';
import { attachingTypes, hasRecord, referredBytes } from './attachment-records.ts';
import { strayChunks } from './attachment-strays.ts';
import type { Core } from './core.ts';

/** After how many files progress is told. */
const step = 100;

/**
 * Reads all bytes of a partition and compares them with what versions of records say: their size and digest, whether they
 * are there, and whether a record refers to them. Bytes that still may get a record, or are in the trash, are counted.
 */
export async function* verifyAttachments(core: Core, p: string): AsyncIterable<AttachmentProgress> {
  const types = await attachingTypes(core);
  const of = await files(core).countDocuments({ _id: ofPartition(p) });
  let [checked, waiting, trashed] = [0, 0, 0];
  let findings: AttachmentFinding[] = [];
  for (const digits of allDigits) {
    // Bytes come before what refers to them, so what is referred to now lies there.
    const referred = await referredBytes(core, types, p, digits);
    for await (const file of filesOf(core, p, digits)) {
      if (file.filename === goingName(file._id)) continue;
      const digest = file.filename.slice(p.length + 1);
      const known = referred.get(digest);
      referred.delete(digest);
      const isTrash = file.metadata.trashed !== undefined;
      if (known !== undefined) {
        const is = (await compare(core, file, digest, known.size)) ?? (isTrash ? 'trashed' : undefined);
        if (is !== undefined) findings.push({ is, digest, records: inOrder(known.records) });
      } else if (!(await hasRecord(core, types, p, digest))) {
        if (isTrash) {
          trashed += 1;
          continue;
        }
        if (file.metadata.waiting === true && !file.old) waiting += 1;
        else findings.push({ is: 'orphan', digest, records: [] });
      }
      checked += 1;
      if (checked % step > 0) continue;
      yield { checked, of: Math.max(of, checked), waiting, trashed, findings };
      findings = [];
    }
    for (const [digest, { records }] of referred) findings.push({ is: 'missing', digest, records: inOrder(records) });
  }
  const { $gte: $gt, $lt } = ofPartition(p);
  // Damage from outside: no write leaves any.
  for (let after = $gt; ;) {
    const { found, strays } = await strayChunks(core, { $gt: after, $lt });
    findings.push(...strays.map(id => ({ is: 'orphan', digest: id.slice(p.length + 1), records: [] }) as const));
    after = found.at(-1) ?? after;
    if (found.length === 0) break;
  }
  yield { checked, of: checked, waiting, trashed, findings };
}

const allDigits = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));

/** The files of a partition whose name begins with these digits; `old`: a sweep should have taken them. */
async function* filesOf(core: Core, p: string, digits: string): AsyncIterable<FileDocument & { old: boolean }> {
  const end = `${p}/${digits}g`;
  for (let after = `${p}/${digits}`; ;) {
    const page = await files(core)
      .find({ filename: { $gt: after, $lt: end } })
      .project<FileDocument & { old: boolean }>({
        length: 1,
        chunkSize: 1,
        uploadDate: 1,
        filename: 1,
        metadata: 1,
        old: isOlder('touched', overdue),
      })
      .sort({ filename: 1 })
      .limit(step)
      .toArray();
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < step) return;
    after = last.filename;
  }
}

/** By type, id and version. */
function inOrder(records: ReadonlySet<string>): readonly string[] {
  return [...records].sort(new Intl.Collator('en', { numeric: true }).compare);
}

async function compare(
  core: Core,
  { _id, length, chunkSize }: FileDocument,
  digest: string,
  size: number,
): Promise<'missing' | 'size' | 'digest' | undefined> {
  const hash = createHash('sha256');
  let found = 0;
  for (let n = 0; n * chunkSize < length; n += 1) {
    const chunk = await chunks(core).findOne({ files_id: _id, n });
    if (chunk === null) continue;
    hash.update(chunk.data.value());
    found += chunk.data.length();
  }
  if (found === 0 && size > 0) return 'missing';
  if (found !== size) return 'size';
  return hash.digest('hex') === digest ? undefined : 'digest';
}
