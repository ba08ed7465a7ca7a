import { verifyAttachments } from '../upkeep/verify-attachments.ts';
import type { Pace } from './pace.ts';
import type { BackupFinding } from './port.ts';
import type { Referenced } from './referenced.ts';

/** Damage of the attachments beside a database that no process writes to. */
export async function checkAttachments(
  { files, size, partitions, bytes }: Referenced,
  pace: Pace,
  step: (done: number, of: number) => void,
): Promise<readonly BackupFinding[]> {
  const findings: BackupFinding[] = [];
  if (files === 0) return findings;
  let done = 0;
  for (const [partition, n] of partitions) {
    let before = 0;
    for await (const { checked, findings: found } of verifyAttachments(partition, bytes(n))) {
      findings.push(...found.map(one => ({ in: 'attachments', partition, ...one }) as const));
      const read = ((checked - before) * size) / files; // files are counted, not bytes
      before = checked;
      done += read;
      step(Math.min(done, size), size);
      await pace.spend(read);
    }
  }
  return findings;
}
