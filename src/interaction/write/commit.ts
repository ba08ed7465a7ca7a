import type { BegunWrite } from '../../audit/request.ts';
import type { Content } from '../../attachment/content.ts';
import type { Attached } from '../../store/port/blobs.ts';
import { AttachmentMissing, RequirementFailed, VersionConflict } from '../../store/port/errors.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Change, WriteOptions, WriteResult } from '../../store/port/records.ts';
import { tooManyWrites } from '../if-match.ts';
import type { FhirRequest } from '../interaction.ts';
import type { AfterCommit, CarryingChange, CommittedChange, WriteContext } from './context.ts';

/**
 * Writes changes, whose attachments are durable before them, and reports those that were committed: also the part of a
 * write `each` that a conflict ended. Every write of records ends here. Throws the errors of `Partition.write`.
 */
export async function commit(
  partition: Partition,
  changes: readonly CarryingChange[],
  options: WriteOptions,
  committed?: AfterCommit,
): Promise<readonly WriteResult[]> {
  try {
    const results = await writeCarrying(partition, changes, options);
    committed?.(changes.flatMap((change, at) => withResult(change, results[at])));
    return results;
  } catch (error) {
    if (error instanceof VersionConflict)
      committed?.(changes.flatMap((change, at) => withResult(change, error.done.get(at))));
    throw error;
  }
}

const withResult = (change: CarryingChange, result: WriteResult | undefined): readonly CommittedChange[] =>
  result === undefined ? [] : [{ ...change, result }];

/** Changes that are ready to be written together. */
export interface Settled {
  readonly changes: readonly CarryingChange[];
  readonly options: WriteOptions;
  /** What is announced of each change before it is written. */
  readonly begun: readonly BegunWrite[];
  /** Whether a record that matches a precondition is an answer; else the write is settled again. */
  readonly acceptsMatch?: boolean;
}

/** Times that a write is tried again, each after another write of one of its records. */
const mostAttempts = 100;

/**
 * Writes what `settle` returns. It is called again, with the error, if another write comes between, or if what the
 * write requires does not hold, so that what it decides holds in the write. Returns the results of the last changes;
 * undefined if there were none. Throws what `settle` throws, FhirError 409 if other writes come between again and
 * again, and the other errors of `Partition.write`.
 */
export async function untilCommitted<T extends Settled>(
  { begin, committed }: Pick<WriteContext, 'begin' | 'committed'>,
  request: FhirRequest,
  settle: (failure: Error | undefined) => Promise<T>,
): Promise<{ readonly settled: T; readonly results: readonly WriteResult[] }> {
  const known = new Set<string>();
  let failure: Error | undefined;
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const settled = await settle(failure);
    const { changes, options, begun, acceptsMatch = false } = settled;
    if (changes.length === 0) return { settled, results: [] };
    const added = begun.filter(({ id }) => !known.has(id));
    // Durable before the records, so that none is without an event of its author.
    await Promise.all(added.map(write => begin(request, write)));
    for (const { id } of added) known.add(id);
    try {
      const results = await commit(request.partition, changes, options, committed);
      if (acceptsMatch || !results.some(({ outcome }) => outcome === 'matched')) return { settled, results };
      failure = undefined;
    } catch (error) {
      if (!(error instanceof VersionConflict || error instanceof RequirementFailed)) throw error;
      failure = error;
    }
  }
  throw tooManyWrites();
}

/** Records whose attachments are stored concurrently: each waits for three flushes. */
const atOnce = 8;

/**
 * Writes changes as `Partition.write` does, after their attachments are durable. Retries once if attachments were
 * deleted in between, since no record referenced them yet. Throws the errors of `Partition.write`.
 */
async function writeCarrying(
  partition: Partition,
  carrying: readonly CarryingChange[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const attempt = async (): Promise<readonly WriteResult[]> =>
    partition.write(await keepAll(partition, carrying), options);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof AttachmentMissing) return attempt();
    throw error;
  }
}

/** The changes, with the stored attachments of each. */
async function keepAll(partition: Partition, carrying: readonly CarryingChange[]): Promise<readonly Change[]> {
  const changes = carrying.map(({ change }) => change);
  const rest = carrying.entries();
  const work = async (): Promise<void> => {
    for (const [at, { change, contents }] of rest) {
      if (change.kind === 'put' && contents.length > 0) {
        changes[at] = { ...change, attachments: await keep(partition, contents) };
      }
    }
  };
  const workers = carrying.filter(({ contents }) => contents.length > 0).length;
  await Promise.all(Array.from({ length: Math.min(atOnce, workers) }, work));
  return changes;
}

async function keep(partition: Partition, contents: readonly Content[]): Promise<readonly Attached[]> {
  const kept: Attached[] = [];
  for (const { path, bytes, owner } of contents) {
    kept.push({ path, ...(await partition.putAttachment(bytes)), contentType: String(owner['contentType']) });
  }
  return kept;
}
