import { setImmediate } from 'node:timers/promises';
import { overdue } from '../attachment-ages.ts';
import type { AttachmentFinding, AttachmentProgress } from '../blobs.ts';
import { bytesFolder, bytesPath, isAbsent, measureFile, trashFolder, trashPath } from './attachment-files.ts';
import { isOlder, isReferred, ownNames } from './attachment-sweep.ts';
import type { Database } from './open.ts';

/** After how many files progress is told. */
const step = 100;

/**
 * Reads all bytes of a partition and compares them with what versions of records say: their size and digest, whether they
 * are there, and whether a record refers to them. Bytes that still may get a record, or are in the trash, are counted; those
 * that are older than `age`, in milliseconds, are orphans.
 */
export async function* verifyAttachments(
  database: Database,
  file: string,
  n: number,
  age: number = overdue,
): AsyncIterable<AttachmentProgress> {
  const of = allDigits.reduce((sum, digits) => sum + ownNames(bytesFolder(file, n, digits)).length, 0);
  let [checked, waiting, trashed] = [0, 0, 0];
  let findings: AttachmentFinding[] = [];
  for (const digits of allDigits) {
    // Bytes come before what refers to them, so what is referred to now lies there, or is taken back from the trash.
    const referred = referredBytes(database, n, digits);
    const inTrash = new Set(ownNames(trashFolder(file, n, digits)));
    const names = new Set(ownNames(bytesFolder(file, n, digits)));
    trashed += [...inTrash].filter(name => !names.has(name) && !referred.has(name)).length;
    for (const [digest, { size, records }] of referred) {
      if (names.has(digest)) continue;
      const damage = await compare(trashPath(file, n, digest), digest, size);
      // A sweep may have taken them back meanwhile.
      const is = damage === 'missing' ? await compare(bytesPath(file, n, digest), digest, size) : (damage ?? 'trashed');
      if (is !== undefined) findings.push({ is, digest, records });
    }
    for (const name of names) {
      const path = bytesPath(file, n, name);
      const known = referred.get(name);
      if (known === undefined && !isReferred(database, n, name)) {
        if (!isOlder(path, age)) waiting += 1;
        else findings.push({ is: 'orphan', digest: name, records: [] });
      } else if (known !== undefined) {
        const is = await compare(path, name, known.size);
        if (is !== undefined) findings.push({ is, digest: name, records: known.records });
      }
      checked += 1;
      if (checked % step > 0) continue;
      yield { checked, of: Math.max(of, checked), waiting, trashed, findings };
      findings = [];
    }
    await setImmediate();
  }
  yield { checked, of: checked, waiting, trashed, findings };
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
