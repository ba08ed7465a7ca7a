import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import type { PreparedChange, SentPart, SubmittedJob, WriteJob } from './jobs.ts';
import type { Rows } from './rows.ts';

/**
 * A write as JSON, which takes half the processor time of a structured clone on both sides, and which further processes
 * pass on as it is. Other jobs, and writes with infinite numbers, which JSON does not have, stay values.
 */
export function printJob(asked: SubmittedJob): SubmittedJob | string {
  return asked.job.kind === 'write' && isPrintable(asked.job) ? JSON.stringify(asked) : asked;
}

/** A part of a large write, compressed on another thread. */
export async function printPart(part: string, changes: readonly PreparedChange[]): Promise<SentPart> {
  if (!changes.every(isPrintableChange)) return { part, changes };
  return { part, changes: new Uint8Array(await compress(JSON.stringify(changes))) };
}

const compress = promisify(zstdCompress);

export const parseChanges = ({ changes }: SentPart): readonly PreparedChange[] =>
  changes instanceof Uint8Array
    ? (JSON.parse(zstdDecompressSync(changes).toString()) as readonly PreparedChange[]) // of `printPart`
    : changes;

export const parseJob = (sent: SubmittedJob | string): SubmittedJob =>
  typeof sent === 'string' ? (JSON.parse(sent) as SubmittedJob) : sent; // of `printJob`

/** The bounds of queries may be infinite, and those of quantities with a comparator. */
const isPrintable = ({ changes, requires }: WriteJob): boolean =>
  requires.every(({ is }) => is !== 'no-match') && changes.every(isPrintableChange);

const isPrintableChange = ({ precondition, added, removed }: PreparedChange): boolean =>
  precondition?.is !== 'no-match' && !hasInfinity(added) && !hasInfinity(removed);

const hasInfinity = (rows: Rows | undefined): boolean =>
  rows !== undefined && (rows.ranges.includes(Infinity) || rows.ranges.includes(-Infinity));
