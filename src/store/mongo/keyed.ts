import { firstOutcome } from '../record/changes.ts';
import type { Change, WriteKey, WriteResult } from '../port/records.ts';
import { KeyUsed } from '../port/errors.ts';
import { reservations } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import type { ReservationDocument } from './layout.ts';
import { keyReservation } from './reservation-id.ts';

type Results = NonNullable<ReservationDocument['results']>;

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

/** The reservation of a keyed write, without its results. */
export function keyedReservation(
  { p }: PartitionInfo,
  { key, body, expires }: WriteKey,
  { id, type }: Change,
): ReservationDocument {
  return { _id: keyReservation(p, key), p, key, body, id, type, expires };
}

/** Results in the form of a reservation. */
export function keptResults(results: readonly WriteResult[]): Results {
  return results.map(({ id, version, lastUpdated, ...result }) => ({
    outcome: firstOutcome(result),
    id,
    version,
    lastUpdated,
  }));
}
