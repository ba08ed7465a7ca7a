import type { SentJob, SubmittedJob, WriteJob } from './jobs.ts';
import type { Rows } from './rows.ts';

/**
 * A write as JSON, which takes half the processor time of a structured clone on both sides, and which further processes
 * pass on as it is. Other jobs, and writes with infinite numbers, which JSON does not have, stay values.
 */
export function printJob(asked: SubmittedJob): SentJob {
  return asked.job.kind === 'write' && isPrintable(asked.job) ? JSON.stringify(asked) : asked;
}

export const parseJob = (sent: SentJob): SubmittedJob =>
  typeof sent === 'string' ? (JSON.parse(sent) as SubmittedJob) : sent; // of `printJob`

/** The bounds of queries may be infinite, and those of quantities with a comparator. */
const isPrintable = ({ changes, requires }: WriteJob): boolean =>
  requires.every(({ is }) => is !== 'no-match') &&
  changes.every(
    ({ precondition, added, removed }) =>
      precondition?.is !== 'no-match' && !hasInfinity(added) && !hasInfinity(removed),
  );

const hasInfinity = (rows: Rows | undefined): boolean =>
  rows !== undefined && (rows.ranges.includes(Infinity) || rows.ranges.includes(-Infinity));
