import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { BackupFinding } from '../../backup-port.ts';
import { StoreRefused } from '../../errors.ts';
import { bytesPath } from '../../files/attachments.ts';
import type { Database } from '../open.ts';
import { copyAgain, type Places } from './copy-attachments.ts';
import { digestOfFile } from './file-digest.ts';

/**
 * Copies damaged attachments again, of an interrupted run or of the older backup. Removes attachments that no record
 * references. Returns the remaining findings, which are damage of the store.
 */
export async function mend(
  findings: readonly BackupFinding[],
  places: Places,
  copied: Database,
): Promise<readonly BackupFinding[]> {
  const left: BackupFinding[] = [];
  for (const finding of findings) {
    if (finding.in !== 'attachments') {
      left.push(finding);
      continue;
    }
    const n = partitionNumber(copied, finding.partition);
    const path = bytesPath(places.to, n, finding.digest);
    if (finding.is === 'orphan') {
      await rm(path);
      continue;
    }
    await copyAgain(places, n, finding.digest);
    if (!existsSync(path) || (await digestOfFile(path)) !== finding.digest) left.push(finding);
  }
  return left;
}

/** Throws `StoreRefused` if attachments are missing because their partition was removed meanwhile. */
export function requirePartitions(source: Database, copied: Database, findings: readonly BackupFinding[]): void {
  for (const finding of findings) {
    if (finding.in !== 'attachments' || finding.is !== 'missing') continue;
    const n = partitionNumber(copied, finding.partition);
    if (source.get('SELECT 1 FROM partitions WHERE n = ? AND id IS NOT NULL', [n]) === undefined)
      throw new StoreRefused(
        `The partition \`${finding.partition}\` was removed while it was copied; run the backup again`,
      );
  }
}

function partitionNumber(database: Database, id: string): number {
  return Number(database.get('SELECT n FROM partitions WHERE id = ?', [id])?.[0]);
}
