import { setTimeout } from 'node:timers/promises';
import type { Query } from '../../search/ast.ts';
import { print } from '../../search/print.ts';
import { type Conditional, queryOf } from '../port/conditional.ts';
import { RequirementFailed, SeveralMatch, StoreUnavailable, VersionConflict } from '../port/errors.ts';
import type { Put, Requirement, WriteResult } from '../port/records.ts';
import { withId } from '../record/changes.ts';
import { applyChange, type WriteStep } from './apply.ts';
import { insertNew, reservations } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import { findMatches } from './count.ts';
import { readCurrent } from './current.ts';
import type { ReservationDocument } from './layout.ts';
import { declared } from './prepare.ts';
import { findReferring } from './referring.ts';
import { reservationId } from './reservation-id.ts';

/**
 * How long before the end of a reservation no record is created under it, in milliseconds: longer than a write takes.
 */
const marginOf = ({ options }: Core): number => Math.max(30_000, 2 * (options.timeout ?? 0));

/** Lifetime of a reservation, after which another write replaces one that a crash has left, in milliseconds. */
const lifetimeOf = (core: Core): number => 2 * marginOf(core);

/** How long a write waits for the one that has the reservation, before it takes its id, in milliseconds. */
const longestWait = 2_000;

/**
 * Creates a resource unless one matches, however many processes try concurrently. All that find none agree on one id
 * first, through a reservation of the criteria, and search again: then that id decides which of them creates it. A
 * reservation is deleted when its record exists. Others wait for that, since they have ids of their own; one that a
 * crash has left gives its id to the first that has waited long enough, unless that one keeps its own: then the
 * reservation must end before, since the write that made it may still create its record. Throws `StoreUnavailable`
 * until then.
 */
export async function createUnlessMatching(
  core: Core,
  partition: PartitionInfo,
  change: Conditional,
  manner: WriteStep,
): Promise<WriteResult> {
  const reserved = reservations(core.database);
  for (;;) {
    const found = await matchOf(core, partition, change);
    if (found !== undefined) return found;
    const { _id, id, expires } = await reserve(core, partition, change);
    if (id !== change.id && (await isReleased(core, { _id, id }))) continue;
    if (id !== change.id && change.precondition.keepsId === true) throw interrupted();
    const release = (): Promise<unknown> => reserved.deleteOne({ _id, id });
    const meanwhile = await matchOf(core, partition, change);
    if (meanwhile !== undefined) {
      if (id === change.id) await release();
      return meanwhile;
    }
    if (core.options.now() >= expires - marginOf(core)) {
      if (id === change.id) await release();
      throw interrupted();
    }
    try {
      const created = await applyChange(core, partition, unconditional(change, id), manner);
      await release();
      return created;
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      const other = await matchOf(core, partition, change);
      if (other !== undefined) return other;
      if (id === change.id) {
        await release();
        throw error;
      }
      // Its record was created, and has changed since.
      await reserved.updateOne({ _id, id }, { $set: { id: change.id } });
    }
  }
}

const interrupted = (): StoreUnavailable =>
  new StoreUnavailable('timeout', 'An earlier write with the same criteria has not ended');

/** Waits until the write that has a reservation is done; false if it is not in time. */
async function isReleased(core: Core, { _id, id }: Pick<ReservationDocument, '_id' | 'id'>): Promise<boolean> {
  const until = performance.now() + longestWait;
  for (let pause = 2; performance.now() < until; pause = Math.min(2 * pause, 50)) {
    await setTimeout(pause);
    if ((await reservations(core.database).findOne({ _id, id }, { projection: { _id: 1 } })) === null) return true;
  }
  return false;
}

/** The change if nothing matches: its id must be free. */
export function unconditional(change: Conditional, id: string): Put {
  const free: Put = { ...change, precondition: { is: 'absent' } };
  return id === change.id ? free : withId(free, id);
}

/** Throws `RequirementFailed` if one does not hold, and the errors of a search. */
export async function requireAll(
  core: Core,
  partition: PartitionInfo,
  requires: readonly Requirement[],
  manner: WriteStep = {},
): Promise<void> {
  for (const requirement of requires) {
    const { type } = requirement;
    if (requirement.is === 'there') {
      const current = await readCurrent(core, partition.p, type, requirement.id, manner);
      if (current?.text === undefined) throw new RequirementFailed(type);
    } else if (requirement.is === 'unreferred') {
      const found = await findReferring(core, partition, requirement, { except: requirement.except, step: manner });
      if (found.length > 0) throw new RequirementFailed(type);
    } else {
      const found = await findMatches(core, partition, declared(core, type), requirement.query, 1, manner);
      if (found.length > 0) throw new RequirementFailed(type);
    }
  }
}

/** The result if one matches. Throws `SeveralMatch`, `RequirementFailed`, and the errors of a search. */
export async function matchOf(
  core: Core,
  partition: PartitionInfo,
  { type, precondition }: Conditional,
  manner: WriteStep = {},
): Promise<WriteResult | undefined> {
  for (;;) {
    const [id, other] = await findMatches(core, partition, declared(core, type), queryOf(precondition), 2, manner);
    if (id !== undefined && precondition.except !== undefined) throw new RequirementFailed(type);
    if (other !== undefined) throw new SeveralMatch(type);
    if (id === undefined) return undefined;
    const current = await readCurrent(core, partition.p, type, id, manner);
    if (current?.text === undefined) continue;
    return { outcome: 'matched', id, version: current.version, lastUpdated: current.updated };
  }
}

/** `_id` of the reservation of criteria. */
export function matchReservation(p: string, { type, precondition }: Conditional): string {
  return reservationId(p, 'match', type, print(inOneOrder(precondition.query)));
}

/** The reservation of a change. */
export function reservationFor(core: Core, { p }: PartitionInfo, change: Conditional): ReservationDocument {
  const expires = core.options.now() + lifetimeOf(core);
  return { _id: matchReservation(p, change), p, body: '', id: change.id, expires };
}

/** The reservation of the criteria of a change: the existing one, if there is one that has not ended. */
async function reserve(core: Core, partition: PartitionInfo, change: Conditional): Promise<ReservationDocument> {
  const own = reservationFor(core, partition, change);
  for (;;) {
    if (await insertNew(reservations(core.database), own)) return own;
    const other = await reservations(core.database).findOne({ _id: own._id });
    if (other === null) continue;
    if (core.options.now() < other.expires) return other;
    await reservations(core.database).deleteOne({ _id: own._id, id: other.id, expires: other.expires });
  }
}

/** The query with its parts in one order. */
function inOneOrder(query: Query): Query {
  if (query.kind === 'not') return { ...query, of: inOneOrder(query.of) };
  if (query.kind !== 'and' && query.kind !== 'or') return query;
  const parts = query.of.map(inOneOrder).map(part => [print(part), part] as const);
  return { ...query, of: parts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part) };
}
