import type { BackupFinding } from '../../backup-port.ts';
import type { Database } from '../open.ts';
import { verifyAttachments } from '../../upkeep/verify-attachments.ts';
import { bytesOf } from '../verify-attachments.ts';
import type { Pace } from './pace.ts';
import { totals } from './referred.ts';

/** No record will follow for attachments in a copy: all without one are orphans. */
const anyAge = -Infinity;

/** Damage of the attachments beside the file of a database that no process writes to. */
export async function checkAttachments(
  database: Database,
  file: string,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<readonly BackupFinding[]> {
  const findings: BackupFinding[] = [];
  const [files, size] = totals(database);
  if (files === 0) return findings;
  let done = 0;
  for (const [n, id] of database.all('SELECT n, id FROM partitions WHERE id IS NOT NULL ORDER BY id')) {
    let before = 0;
    for await (const { checked, findings: found } of verifyAttachments(
      String(id),
      bytesOf(database, file, Number(n), anyAge),
    )) {
      findings.push(...found.map(one => ({ in: 'attachments', partition: String(id), ...one }) as const));
      const read = ((checked - before) * size) / files; // files are counted, not bytes
      before = checked;
      done += read;
      step(Math.min(done, size), size);
      await pace.spend(read);
    }
  }
  return findings;
}
