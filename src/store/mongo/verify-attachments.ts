import { createHash } from 'node:crypto';
import type { AttachmentFinding, AttachmentProgress } from '../store.ts';
import { chunks, type FileDocument, files, goingName, grace, ofPartition, touchedBefore } from './attachment-bucket.ts';
import { attachingTypes, hasRecord, referredBytes } from './attachment-records.ts';
import { strayChunks } from './attachment-sweep.ts';
import type { Core } from './core.ts';
import { goneProcesses } from './gone.ts';

/** After how many files progress is told. */
const step = 100;

/**
 * Reads all bytes of a partition and compares them with what versions of records say: their size and digest, whether they
 * are there, and whether a record refers to them. Bytes that still may get a record are no orphans.
 */
export async function* verifyAttachments(core: Core, p: string): AsyncIterable<AttachmentProgress> {
  const types = await attachingTypes(core);
  const isGone = await goneProcesses(core);
  const of = await files(core).countDocuments({ _id: ofPartition(p) });
  let checked = 0;
  let findings: AttachmentFinding[] = [];
  for (const digits of allDigits) {
    // Bytes come before what refers to them, so what is referred to now lies there.
    const referred = await referredBytes(core, types, p, digits);
    for await (const file of filesOf(core, p, digits)) {
      if (file.filename === goingName(file._id)) continue;
      const digest = file.filename.slice(p.length + 1);
      const known = referred.get(digest);
      referred.delete(digest);
      if (known !== undefined) {
        const is = await compare(core, file, digest, known.size);
        if (is !== undefined) findings.push({ is, digest, records: inOrder(known.records) });
      } else if (isLoose(file, isGone) && !(await hasRecord(core, types, p, digest)))
        findings.push({ is: 'orphan', digest, records: [] });
      checked += 1;
      if (checked % step > 0) continue;
      yield { checked, of: Math.max(of, checked), findings };
      findings = [];
    }
    for (const [digest, { records }] of referred) findings.push({ is: 'missing', digest, records: inOrder(records) });
  }
  const { $gte: $gt, $lt } = ofPartition(p);
  for (let after = $gt; ;) {
    const { found, strays } = await strayChunks(core, { $gt: after, $lt });
    findings.push(...strays.map(id => ({ is: 'orphan', digest: id.slice(p.length + 1), records: [] }) as const));
    after = found.at(-1) ?? after;
    if (found.length === 0) break;
  }
  yield { checked, of: checked, findings };
}

const allDigits = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));

/** The files of a partition whose name begins with these digits; `old`: they wait for more than an hour. */
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
        old: touchedBefore(grace),
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

/** Whether a file may go where no record refers to it. */
function isLoose(
  { metadata, old }: FileDocument & { readonly old: boolean },
  isGone: (process: string) => boolean,
): boolean {
  return metadata.waiting !== true || old || metadata.by.every(isGone);
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
