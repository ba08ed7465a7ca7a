import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { bytesPath } from '../files/attachments.ts';
import { copyAgain, type Places } from './copy-attachments.ts';
import { digestOfFile } from './file-digest.ts';
import type { BackupFinding } from './port.ts';
import type { Referenced } from './referenced.ts';

/**
 * Copies damaged attachments again, of an interrupted run or of the older backup. Removes attachments that no record
 * references. Returns the remaining findings, which are damage of the store.
 */
export async function mend(
  findings: readonly BackupFinding[],
  places: Places,
  { partitions }: Referenced,
): Promise<readonly BackupFinding[]> {
  const left: BackupFinding[] = [];
  for (const finding of findings) {
    const n = finding.in === 'attachments' ? partitions.get(finding.partition) : undefined;
    if (finding.in !== 'attachments' || n === undefined) {
      left.push(finding);
      continue;
    }
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
