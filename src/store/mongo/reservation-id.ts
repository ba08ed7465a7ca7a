import { createHash } from 'node:crypto';

/** `_id` of the reservation of a keyed write. */
export function keyReservation(p: string, key: string): string {
  return reservationId(p, 'key', key);
}

/** `_id` of a reservation: a digest, since keys and criteria may be long and personal. */
export function reservationId(...of: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('hex');
}
