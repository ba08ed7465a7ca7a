import { RecordTooLarge } from '../port/errors.ts';
import type { Change, WriteOutcome, WriteResult } from '../port/records.ts';
import { requireAttachments } from './attachments.ts';
import { places } from './collections.ts';
import { type Core, history, type PartitionInfo, resources, type Step, withSession } from './core.ts';
import { createdBefore } from './created.ts';
import { hasPlaces, readCurrent, type Stored } from './current.ts';
import { answeredLate, isTaken, isTooLarge } from './failures.ts';
import type { ResourceDocument } from './layout.ts';
import { declared, historyOf, nextDocument, outcomeOf } from './prepare.ts';
import { inTransaction } from './transaction.ts';

/** The parameters of writing a change. */
export interface WriteStep extends Step {
  /** `lastUpdated`, if several changes share one. */
  readonly updated?: number;
}

/** Another process has written the resource meanwhile. */
export class LostRace extends Error {}

/**
 * Applies one change, and retries if another process wrote first. A crash leaves it done or not: the former version
 * goes to the history first, which is idempotent, and then one document changes. Throws `VersionConflict`,
 * `AttachmentMissing`, `RecordTooLarge`, `StoreUnavailable` if a retry would begin too late; in a transaction
 * `LostRace`.
 */
export async function applyChange(
  core: Core,
  partition: PartitionInfo,
  change: Change,
  manner: WriteStep,
): Promise<WriteResult> {
  const apply = (how: WriteStep): Promise<WriteResult> => applyOnce(core, partition, change, how);
  const requireTime = answeredLate(core);
  for (;;) {
    try {
      // If ids have their own directory, both are written in one transaction.
      const spread = manner.session === undefined && hasPlaces(core, change.type);
      return spread ? await inTransaction(core, session => apply({ ...manner, session })) : await apply(manner);
    } catch (error) {
      if (!(error instanceof LostRace) || manner.session !== undefined) throw error;
      requireTime();
    }
  }
}

async function applyOnce(
  core: Core,
  partition: PartitionInfo,
  change: Change,
  manner: WriteStep,
): Promise<WriteResult> {
  declared(core, change.type);
  const { p } = partition;
  const isNew = change.kind === 'put' && change.precondition?.is === 'absent';
  // Usually it does not exist: then the insert alone decides.
  if (isNew && manner.session === undefined) {
    const document = await documentFor(core, partition, change, undefined, manner);
    const created = await create(core, change, document, manner).catch(passLost);
    if (created !== undefined) return created;
  }
  const current = await readCurrent(core, p, change.type, change.id, manner);
  const outcome = outcomeOf(change, current);
  if (outcome === 'unchanged') return unchanged(change, current);
  const document = await documentFor(core, partition, change, current, manner);
  return current === undefined
    ? create(core, change, document, manner)
    : replace(core, change, current, document, outcome, manner);
}

async function create(core: Core, change: Change, document: ResourceDocument, manner: WriteStep): Promise<WriteResult> {
  await claimPlace(core, change.type, document, manner);
  try {
    await resources(core, change.type).insertOne(document, withSession(manner));
  } catch (error) {
    throw isTaken(error) ? new LostRace() : tooLarge(error, change);
  }
  return resultOf('created', change.id, document);
}

async function documentFor(
  core: Core,
  partition: PartitionInfo,
  change: Change,
  current: Stored | undefined,
  step: WriteStep,
): Promise<ResourceDocument> {
  const attached = change.kind === 'put' ? (change.attachments ?? []) : [];
  await requireAttachments(core, partition.p, attached, change.type);
  const created = await createdBefore(core, partition.p, change.type, current, step);
  return nextDocument(core, partition, change, current, { updated: step.updated, created });
}

/** Replaces the current version, which goes to the history before. */
async function replace(
  core: Core,
  change: Change,
  current: Stored,
  document: ResourceDocument,
  outcome: WriteOutcome,
  manner: WriteStep,
): Promise<WriteResult> {
  const { p } = document;
  await keepOlder(core, change.type, current, manner);
  if (document.b !== current.b) await claimPlace(core, change.type, document, manner);
  const filter = { p, b: current.b, _id: current._id, version: current.version };
  try {
    const { matchedCount } = await resources(core, change.type).replaceOne(filter, document, withSession(manner));
    if (matchedCount === 0) throw new LostRace();
  } catch (error) {
    throw tooLarge(error, change);
  }
  return resultOf(outcome, change.id, document);
}

/** Stores a version in the history: idempotent, since a version never changes. */
async function keepOlder(core: Core, type: string, current: Stored, manner: WriteStep): Promise<void> {
  const older = historyOf(current);
  const filter = { _id: older._id, p: older.p };
  try {
    await history(core, type).replaceOne(filter, older, { upsert: true, ...withSession(manner) });
  } catch (error) {
    if (!isTaken(error) || manner.session !== undefined) throw error;
  }
}

type Placed = Pick<ResourceDocument, '_id' | 'p' | 'b'>;

/** Registers, before a resource is written, its shard: only if the store is spread over several servers. */
export async function claimPlace(core: Core, type: string, document: Placed, step: Step): Promise<void> {
  try {
    await claimPlaces(core, type, [document], step);
  } catch (error) {
    throw isTaken(error) ? new LostRace() : error;
  }
}

/** Claims places for several resources of a type, in one operation. */
export async function claimPlaces(core: Core, type: string, documents: readonly Placed[], step: Step): Promise<void> {
  if (!hasPlaces(core, type) || documents.length === 0) return;
  const claims = documents.map(({ _id, p, b }) => {
    const filter = { _id: `${p}/${type}/${_id.slice(p.length + 1)}` };
    return { updateOne: { filter, update: { $set: { b } }, upsert: true } };
  });
  await places(core.database).bulkWrite(claims, { ordered: false, ...withSession(step) });
}

function tooLarge(error: unknown, { type, id }: Change): unknown {
  return isTooLarge(error) ? new RecordTooLarge(type, id) : error;
}

function passLost(error: unknown): undefined {
  if (!(error instanceof LostRace)) throw error;
}

/** The result of a change that makes no version. */
export const unchanged = ({ id }: Change, current: Stored | undefined): WriteResult =>
  resultOf('unchanged', id, current ?? { version: 0, updated: 0 });

/** The result of a change with this version. */
export function resultOf(
  outcome: WriteOutcome,
  id: string,
  { version, updated }: Pick<Stored, 'version' | 'updated'>,
): WriteResult {
  return { outcome, id, version, lastUpdated: updated };
}
