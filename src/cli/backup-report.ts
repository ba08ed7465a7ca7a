import type { BackupFinding, BackupStep } from '../store/backup/port.ts';
import { printable } from './printable.ts';
import { count, createProgress, type Progress } from './progress.ts';

/** Shows the progress of a backup or a restore: one line for each step. */
export function createSteps(): { readonly update: (step: BackupStep) => void; readonly end: () => void } {
  let [part, progress]: [BackupStep['part'] | undefined, Progress | undefined] = [undefined, undefined];
  return {
    update(step) {
      if (step.of === 0) return;
      if (step.part !== part) {
        progress?.end();
        [part, progress] = [step.part, createProgress('MB', process.stderr, Date.now)];
      }
      progress?.update(megabytes(step.done), megabytes(step.of), step.part);
    },
    end: () => progress?.end(),
  };
}

/** One line for a finding, in the format of `verify`. */
export function findingLine(finding: BackupFinding): string {
  switch (finding.in) {
    case 'database':
      return [finding.partition ?? '-', finding.is, finding.what, finding.why].map(printable).join('\t');
    case 'attachments':
      return [finding.partition, finding.is, finding.digest, ...finding.records].join('\t');
    case 'audit':
      return ['audit', finding.is, finding.chain, finding.line ?? '-'].join('\t');
    default:
      return finding satisfies never;
  }
}

/** 1 MB is 1,000,000 bytes; rounded up. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

/** 5240000 → `5.2 MB`. */
export function printSize(bytes: number): string {
  return bytes < 1_000_000_000
    ? `${count(Math.ceil(bytes / 100_000) / 10)} MB`
    : `${count(Math.ceil(bytes / 100_000_000) / 10)} GB`;
}
