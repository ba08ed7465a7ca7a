import { setImmediate } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { storedTypes } from '../../definitions/definition.ts';
import { type Conditional, isConditional, requireApart } from '../port/conditional.ts';
import { VersionConflict } from '../port/errors.ts';
import type { Change, WriteOptions, WriteResult } from '../port/records.ts';
import { definingKeys } from '../record/changes.ts';
import { fewAtOnce } from '../record/few-at-once.ts';
import { reservations } from './collections.ts';
import { type Core, type PartitionInfo, type Step, withSession } from './core.ts';
import { hasPlaces } from './current.ts';
import { noteDefinitions } from './defining.ts';
import { answeredLate, isTaken } from './failures.ts';
import { keepMark, keepResults, keyReservation, repeatedResults } from './keyed.ts';
import { matchOf, matchReservation, requireAll, unconditional } from './match.ts';
import { LostRace } from './put-documents.ts';
import { StagedDocuments } from './staged-documents.ts';
import { inTransaction } from './transaction.ts';

/** Changes after which the event loop gets a turn. */
const turn = 50;

/** Writes changes as the port defines: all of them in one transaction, or each part of `unit: 'each'` in one. */
export async function write(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const { unit = 'all', key, mark, requires = [] } = options;
  requireApart(changes);
  if (changes.length > 0 && (unit === 'all' || key !== undefined || changes.length === 1))
    return writeTogether(core, partition, changes, options);
  await requireAll(core, partition, requires);
  const results = await writeEach(core, partition, changes);
  await keepMark(core, partition.p, mark);
  return results;
}

/** Maximum changes of a part of a write, and maximum UTF-16 units of their text. */
const most = { changes: 250, text: 4 * 1024 * 1024 };

/** Types that are written concurrently. */
const typesAtOnce = 4;

/**
 * Writes changes one by one: in parts of one type, whose new records are inserted at once, and whose others are
 * replaced in a transaction. After an error others may or may not be done; repeating all of them applies each once. A
 * `VersionConflict` has the results of those that are done.
 */
async function writeEach(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
): Promise<readonly WriteResult[]> {
  const results = new Map<number, WriteResult>();
  const ofTypes = Map.groupBy(changes.entries(), ([, { type }]) => type).values();
  try {
    await fewAtOnce(ofTypes, typesAtOnce, async ofType => {
      for (const part of partsOf(ofType)) await writePart(core, partition, part, results);
    });
  } catch (error) {
    throw error instanceof VersionConflict ? new VersionConflict(error.type, error.id, results) : error;
  }
  return changes.flatMap((_, at) => results.get(at) ?? []);
}

type Numbered = readonly [at: number, change: Change];

async function writePart(
  core: Core,
  partition: PartitionInfo,
  part: readonly Numbered[],
  results: Map<number, WriteResult>,
): Promise<void> {
  const changes = part.map(([, change]) => change);
  const type = changes[0]?.type ?? '';
  const others = new Set(part);
  if (!hasPlaces(core, type) && !storedTypes.has(type) && !changes.some(isConditional)) {
    const staged = new StagedDocuments(core, partition, {});
    await staged.read(changes, () => false);
    const made = new Map<Numbered, WriteResult>();
    for (const [index, one] of part.entries()) {
      if (index % turn === turn - 1) await setImmediate();
      if (!staged.isThere(one[1])) made.set(one, await staged.add(one[1]));
    }
    const taken = await staged.insertEach(type);
    for (const [one, result] of made) {
      if (taken.has(one[1].id)) continue;
      results.set(one[0], result);
      others.delete(one);
    }
  }
  const left = [...others];
  if (left.length === 0) return;
  const written = await writeTogether(
    core,
    partition,
    left.map(([, change]) => change),
    {},
  );
  for (const [index, [at]] of left.entries()) {
    const result = written[index];
    if (result !== undefined) results.set(at, result);
  }
}

function* partsOf(changes: readonly Numbered[]): Iterable<readonly Numbered[]> {
  let part: Numbered[] = [];
  let length = 0;
  for (const one of changes) {
    const [, change] = one;
    const longer = change.kind === 'put' ? change.text.before.length + change.text.after.length : 0;
    if (part.length > 0 && (part.length === most.changes || length + longer > most.text)) {
      yield part;
      [part, length] = [[], 0];
    }
    part.push(one);
    length += longer;
  }
  if (part.length > 0) yield part;
}

/**
 * Applies all changes, with the mark and the key, or none: in a transaction, except for a single change, which a
 * conflict or a crash leaves done or not. Retries if another writer is first. Throws like `Partition.write`,
 * `StoreUnavailable` if a retry would begin too late.
 */
export async function writeTogether(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const { key } = options;
  const isAlone = isOneDocument(core, changes, options);
  const requireTime = answeredLate(core);
  // Usually a new record does not exist: then its insert alone decides. After a lost race it is read.
  let isNew = maybeNew;
  const attempt = (step: Step): Promise<readonly WriteResult[]> =>
    writeOnce(core, partition, changes, options, { step, isNew });
  return inTurn(core, isAlone ? [] : turnsOf(partition.p, changes, options), async () => {
    for (;;) {
      requireTime();
      const repeated = key === undefined ? undefined : await repeatedResults(core, partition, key);
      if (repeated !== undefined) return repeated;
      try {
        return await (isAlone ? attempt({}) : inTransaction(core, session => attempt({ session })));
      } catch (error) {
        if (!(error instanceof LostRace) && !isTaken(error)) throw error;
        isNew = () => false;
      }
    }
  });
}

/** Whether a change makes the first version of a record, if its precondition holds and no tombstone is there. */
const maybeNew = ({ kind, precondition }: Change): boolean =>
  kind === 'put' &&
  (precondition?.is === 'no-match' || (precondition?.is === 'absent' && (precondition.version ?? 0) === 0));

/** Whether a write is that of one document: not if ids have a directory. */
const isOneDocument = (core: Core, [first, second]: readonly Change[], { key, mark }: WriteOptions): boolean =>
  first !== undefined &&
  second === undefined &&
  key === undefined &&
  mark === undefined &&
  !storedTypes.has(first.type) &&
  !isConditional(first) &&
  !hasPlaces(core, first.type);

/** `isNew` is true for records that are taken to be new, so that they are not read. */
async function writeOnce(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  { mark, key, requires = [] }: WriteOptions,
  { step, isNew }: { readonly step: Step; readonly isNew: (change: Change) => boolean },
): Promise<readonly WriteResult[]> {
  const { p } = partition;
  await requireAll(core, partition, requires, step);
  const staged = new StagedDocuments(core, partition, step);
  const results: WriteResult[] = [];
  // Only one part is in memory. What is written of it is the current version for the next one.
  for (const part of partsOf([...changes.entries()])) {
    await staged.read(
      part.map(([, change]) => change),
      isNew,
    );
    for (const [at, change] of part) {
      if (at % turn === turn - 1) await setImmediate();
      results.push(
        isConditional(change)
          ? await createUnlessMatching(core, partition, change, { step, staged })
          : await staged.add(change),
      );
    }
    await staged.flush();
  }
  const defined = changes.flatMap(({ type }, at) => {
    const { outcome, id = '' } = results[at] ?? {};
    return outcome === 'unchanged' || outcome === 'matched' ? [] : [{ type, id }];
  });
  await noteDefinitions(core, partition, definingKeys(defined), step);
  if (key !== undefined) await keepResults(core, p, key, results, step);
  await keepMark(core, p, mark, step);
  return results;
}

/**
 * Two transactions with the same criteria both write their reservation, so that one of them is retried. It is never
 * visible outside.
 */
async function createUnlessMatching(
  core: Core,
  partition: PartitionInfo,
  change: Conditional,
  { step, staged }: { readonly step: Step; readonly staged: StagedDocuments },
): Promise<WriteResult> {
  const { p } = partition;
  const _id = matchReservation(p, change);
  const own = { _id, p, body: '', id: change.id, expires: core.options.now() };
  await reservations(core.database).insertOne(own, withSession(step));
  await staged.flush(); // the earlier changes of the write may match
  const found = await matchOf(core, partition, change, step);
  const result = found ?? (await staged.add(unconditional(change)));
  await reservations(core.database).deleteOne({ _id }, withSession(step));
  return result;
}

/** What no two transactions write at a time: the records, the criteria and the key. */
const turnsOf = (p: string, changes: readonly Change[], { key }: WriteOptions): readonly string[] => [
  ...changes.flatMap(change => [
    `${p}/${change.type}/${change.id}`,
    ...(isConditional(change) ? [matchReservation(p, change)] : []),
  ]),
  ...(key === undefined ? [] : [keyReservation(p, key.key)]),
];

/**
 * Writes of this process with the same key, criteria or record run one after another: as transactions they would
 * conflict, and be repeated for each that commits. One whose caller got a timeout is not waited for: a command of the
 * driver may never end (reconnect.ts), and a conflict is resolved without turns too.
 */
async function inTurn<T>({ client, options }: Core, keys: readonly string[], work: () => Promise<T>): Promise<T> {
  if (keys.length === 0) return work();
  const running = turns.get(client) ?? new Map<string, Promise<void>>();
  turns.set(client, running);
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = options.timeout === undefined ? undefined : setTimeout(resolve, options.timeout);
  const before = keys.map(async key => running.get(key));
  // All keys at once, so that no two writes wait for each other.
  for (const key of keys) running.set(key, promise);
  try {
    await Promise.all(before);
    return await work();
  } finally {
    clearTimeout(late);
    resolve();
    for (const key of keys) if (running.get(key) === promise) running.delete(key);
  }
}

const turns = new WeakMap<MongoClient, Map<string, Promise<void>>>();
