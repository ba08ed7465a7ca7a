import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { AttachmentFinding, AttachmentProgress } from '../store.ts';
import { bytesFolder, isAbsent, measureFile } from './attachment-files.ts';
import { isReferred, ownNames } from './attachment-sweep.ts';
import { grace } from './byte-sweep.ts';
import { serverRuns } from './lock.ts';
import type { Database } from './open.ts';

/** After how many files progress is told. */
const step = 100;

/**
 * Reads all bytes of a partition and compares them with what versions of records say: their size and digest, whether they
 * are there, and whether a record refers to them. Beside a server, bytes that still may get a record are no orphans.
 */
export async function* verifyAttachments(
  database: Database,
  file: string,
  n: number,
): AsyncIterable<AttachmentProgress> {
  const youngest = serverRuns(file) ? Date.now() - grace : Infinity;
  const of = allDigits.reduce((sum, digits) => sum + ownNames(bytesFolder(file, n, digits)).length, 0);
  let checked = 0;
  let findings: AttachmentFinding[] = [];
  for (const digits of allDigits) {
    // Bytes come before what refers to them, so what is referred to now lies there.
    const referred = referredBytes(database, n, digits);
    const names = new Set(ownNames(bytesFolder(file, n, digits)));
    for (const [digest, { records }] of referred)
      if (!names.has(digest)) findings.push({ is: 'missing', digest, records });
    for (const name of names) {
      const path = join(bytesFolder(file, n, digits), name);
      const known = referred.get(name);
      if (known === undefined) {
        if (isOlder(path, youngest) && !isReferred(database, n, name))
          findings.push({ is: 'orphan', digest: name, records: [] });
      } else {
        const is = await compare(path, name, known.size);
        if (is !== undefined) findings.push({ is, digest: name, records: known.records });
      }
      checked += 1;
      if (checked % step > 0) continue;
      yield { checked, of: Math.max(of, checked), findings };
      findings = [];
    }
    await setImmediate();
  }
  yield { checked, of: checked, findings };
}

const allDigits = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));

function referredBytes(
  database: Database,
  n: number,
  digits: string,
): ReadonlyMap<string, { readonly size: number; readonly records: readonly string[] }> {
  const found = new Map<string, { size: number; records: string[] }>();
  const rows = database.all(
    'SELECT a.digest, a.size, types.type, a.id, a.version FROM attachments a JOIN types USING (t) WHERE a.n = ? AND a.digest >= ? AND a.digest < ? ORDER BY a.digest, a.t, a.id, a.version',
    [n, digits, `${digits}g`],
  );
  for (const [digest, size, type, id, version] of rows) {
    const known = found.get(String(digest)) ?? { size: Number(size), records: [] };
    known.records.push(`${type}/${id}/_history/${version}`);
    found.set(String(digest), known);
  }
  return found;
}

function isOlder(path: string, instant: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < instant;
}

async function compare(path: string, digest: string, size: number): Promise<'missing' | 'size' | 'digest' | undefined> {
  try {
    const found = await measureFile(path);
    if (found.size !== size) return 'size';
    return found.digest === digest ? undefined : 'digest';
  } catch (error) {
    if (isAbsent(error)) return 'missing';
    throw error;
  }
}
