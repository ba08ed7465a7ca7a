import type { Condition } from '../files/condition.ts';
import { StoreRefused } from '../port/errors.ts';
import type { StoreOptions } from '../port/store.ts';
import { latestAfterChange, latestOf, type Views } from '../upkeep/views.ts';
import type { Budgets } from './budget.ts';
import { definitionsDigest, wantedIndexes, type WantedPartition } from './declared-indexes.ts';
import { type PartitionIndex, readEpoch, readPartition } from './dictionary.ts';
import type { Job, JobResult } from './jobs.ts';
import type { Database } from './open.ts';
import type { Readers } from './readers.ts';
import type { SqlValue } from './sql.ts';
import type { JobWriter } from './writer.ts';

/** The shared state of the store's modules. */
export interface Core {
  /** The file of the store. */
  readonly path: string;
  readonly database: Database;
  readonly writer: JobWriter | undefined;
  readonly readers: Readers;
  readonly options: StoreOptions;
  readonly budgets: Budgets;
  readonly condition: Condition;
  readonly known: Map<string, PartitionIndex>;
  readonly views: Views<Core>;
  /** In a core with the definitions of a partition: that with the definitions below them. */
  readonly below?: Core;
  /** In such a core: the changes of the partition's definitions that it follows. */
  readonly changes?: number;
  /** Running jobs: closing waits for them. */
  readonly underWay: Set<Promise<unknown>>;
}

/** A partition as the file has it now; undefined if there is none. */
export function partitionIndex(core: Core, id: string): PartitionIndex | undefined {
  const known = core.known.get(id);
  if (known?.epoch === currentEpoch(core)) return known;
  const found = readPartition(core.database, core.options.model, id);
  if (found === undefined) core.known.delete(id);
  else core.known.set(id, found);
  return found;
}

/** The epoch of what a core has read of a partition; one that never was, if its definitions have changed since. */
export const epochFor = (core: Core, { changes, epoch }: PartitionIndex): number =>
  changes === (core.changes ?? 0) || (core.below ?? core).options.above === undefined ? epoch : -1;

/** The last epoch that was read, with its moment. */
const epochs = new WeakMap<Database, { readonly moment: object; readonly epoch: number }>();

/** A request needs its partition several times: the file is read once per moment. */
function currentEpoch({ database }: Core): number {
  const { moment } = database;
  const known = epochs.get(database);
  if (known?.moment === moment) return known.epoch;
  const epoch = readEpoch(database);
  epochs.set(database, { moment, epoch });
  return epoch;
}

type Answered = Exclude<JobResult, { kind: 'failed' | 'unregistered' }>;

/**
 * Prepares a job with the core whose definitions apply, and submits it; prepares it again as often as another commit
 * comes between. Throws `StoreRefused` if the store is read only or a server with other definitions runs.
 */
export function submit(core: Core, prepare: (latest: Core) => Job | Promise<Job>): Promise<Applied> {
  return underWay(
    core,
    untilApplied(() => latestOf(core), prepare),
  );
}

/** Closing waits for the work. */
async function underWay<T>(core: Core, work: Promise<T>): Promise<T> {
  core.underWay.add(work);
  try {
    return await work;
  } finally {
    core.underWay.delete(work);
  }
}

export type Applied = Exclude<Answered, { kind: 'stale' | 'refused' }>;

async function untilApplied(coreNow: () => Core, prepare: (core: Core) => Job | Promise<Job>): Promise<Applied> {
  for (;;) {
    const core = coreNow();
    const result = await submitOnce(core, await prepare(core));
    if (result.kind === 'refused') throw new StoreRefused(result.message);
    if (result.kind !== 'stale') return result;
  }
}

/** Like `submit`, for a job that was prepared with the definitions of the core; but returns `stale`. */
export async function submitOnce(core: Core, job: Job): Promise<Answered> {
  if (core.writer === undefined) throw new StoreRefused('The store is open for reading only');
  for (;;) {
    const result = await core.writer.submit({ job, definitions: definitionsDigest(core.options.model) });
    // Callers that get the result of the commit can read it.
    core.database.endMoment();
    if (result.kind !== 'unregistered') return result;
    await followOthers(core);
    if (latestOf(core) !== core) return { kind: 'stale' };
    await register(core);
    if (job.kind === 'write' || job.kind === 'restore' || job.kind === 'rebuild') return { kind: 'stale' };
  }
}

/** Other definitions apply: this process is changing to them, or another one has brought them. */
export async function followOthers(core: Core): Promise<void> {
  if ((await latestAfterChange(core)) === core) await core.options.follow?.();
}

/**
 * Makes our definitions the ones that writes follow. Throws `StoreRefused` if a command does so while a server runs
 * with others.
 */
export async function register(core: Core): Promise<void> {
  const job = (): Job => ({ kind: 'register', epoch: readEpoch(core.database), partitions: wantedPartitions(core) });
  await underWay(
    core,
    untilApplied(() => core, job),
  );
}

function wantedPartitions({ database, options }: Core): readonly WantedPartition[] {
  return database.all('SELECT n, settings FROM partitions WHERE id IS NOT NULL').map(([n, settings]) => ({
    n: Number(n),
    types: wantedIndexes(options.model, JSON.parse(String(settings)).zone),
  }));
}

/** The value of a completed job. */
export function valueOf(result: Applied): SqlValue {
  return result.kind === 'done' ? result.value : null;
}
