import type { DatabaseIndex } from '../../store/port/indexes.ts';
import { Recent } from './recent.ts';

/** All indexes of the database of a store with their sizes and states. */
export interface Sizes {
  readonly of: readonly DatabaseIndex[];
  /** When they were measured, in milliseconds since 1970 UTC. */
  readonly at: number;
}

export const sizes = new Recent<readonly DatabaseIndex[]>(10 * 60_000);

/** The resource type of a collection of records or versions; undefined for a table of all types. */
export const typeOf = ({ collection }: DatabaseIndex): string | undefined =>
  /^[A-Z]/.test(collection) ? collection.split('.')[0] : undefined;

/** The bytes of indexes together; undefined if none was measured. */
export function total(of: readonly DatabaseIndex[]): number | undefined {
  const known = of.flatMap(({ bytes }) => bytes ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, bytes) => sum + bytes, 0);
}
