import { createHash } from 'node:crypto';
import { KeyUsed } from '../port/errors.ts';
import type { Mark, WriteKey, WriteResult } from '../port/records.ts';
import { firstOutcome } from '../record/changes.ts';
import { marks, reservations } from './collections.ts';
import { type Core, type PartitionInfo, type Step, withSession } from './core.ts';
import type { ReservationDocument } from './layout.ts';

/** `_id` of the reservation of a keyed write. */
export const keyReservation = (p: string, key: string): string => reservationId(p, 'key', key);

/** `_id` of a reservation: a digest, since keys and criteria may be long and personal. */
export const reservationId = (...of: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(of)).digest('hex');

/** The results of an earlier write with a key; undefined if the key is free. Throws `KeyUsed`. */
export async function repeatedResults(
  core: Core,
  { p }: Pick<PartitionInfo, 'p'>,
  key: WriteKey,
): Promise<readonly WriteResult[] | undefined> {
  const kept = await reservations(core.database).findOne({ _id: keyReservation(p, key.key) });
  if (kept?.results === undefined || kept.expires <= core.options.now()) return undefined;
  if (kept.body !== key.body) throw new KeyUsed();
  return kept.results.map(({ outcome, ...written }) => ({ outcome: 'repeated', first: outcome, ...written }));
}

/** Stores the results of a write with its key. A key that has expired is replaced; one that has not is taken. */
export async function keepResults(
  core: Core,
  p: string,
  key: WriteKey,
  results: readonly WriteResult[],
  step: Step,
): Promise<void> {
  const kept = reservationOf(p, key, results);
  const isOver = { _id: kept._id, expires: { $lte: core.options.now() } };
  await reservations(core.database).deleteOne(isOver, withSession(step));
  await reservations(core.database).insertOne(kept, withSession(step));
}

/** The reservation of a keyed write that is done. */
export const reservationOf = (
  p: string,
  { key, body, expires }: WriteKey,
  results: readonly WriteResult[],
): ReservationDocument => ({
  _id: keyReservation(p, key),
  p,
  key,
  body,
  id: results[0]?.id ?? '',
  results: results.map(({ id, version, lastUpdated, ...result }) => ({
    outcome: firstOutcome(result),
    id,
    version,
    lastUpdated,
  })),
  expires,
});

/** Writes a mark of a partition, with or after the changes that it records. */
export async function keepMark({ database }: Core, p: string, mark: Mark | undefined, step: Step = {}): Promise<void> {
  if (mark === undefined) return;
  const set = { $set: { value: mark.value } };
  await marks(database).updateOne({ _id: `${p}/${mark.key}` }, set, { upsert: true, ...withSession(step) });
}
