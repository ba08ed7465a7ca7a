import type { StoreFinding } from '../port/transfer.ts';
import type { Database, Row } from './open.ts';
import { walkTable } from './walk-table.ts';

/** The tables of versions of records: current ones, and older ones. */
export type Table = 'resources' | 'versions';

/** The partition and type of a type number. */
export interface Place {
  readonly n: number;
  /** Undefined if the file does not have it. */
  readonly partition: string | undefined;
  readonly type: string;
  /** The partition is being removed: its content is obsolete. */
  readonly isRemoved: boolean;
}

export type Places = ReadonlyMap<number, Place>;

/** Reads the partition and type of each type number; those that cannot be read are left out. */
export function readPlaces(database: Database): Places {
  const partitions = new Map<number, string | null>();
  for (const [n, id] of rowsOf(database, 'partitions', 'n', 'id'))
    if (typeof n === 'number') partitions.set(n, typeof id === 'string' ? id : null);
  const places = new Map<number, Place>();
  for (const [t, n, type] of rowsOf(database, 'types', 't', 'n', 'type'))
    if (typeof t === 'number' && typeof n === 'number' && typeof type === 'string')
      places.set(t, { n, type, partition: partitions.get(n) ?? undefined, isRemoved: partitions.get(n) === null });
  return places;
}

function* rowsOf(database: Database, from: string, key: string, ...rest: readonly string[]): Iterable<Row> {
  for (const slice of walkTable(database, { from, key: [key], rest }, 100)) yield* slice;
}

/** The name of a row `t, id, version` in a finding: the record, or an older version of it. */
export function nameOf(places: Places, table: Table, [t, id, version]: Row): Pick<StoreFinding, 'partition' | 'what'> {
  const place = typeof t === 'number' ? places.get(t) : undefined;
  const record = `${place?.type ?? `type ${t}`}/${id}`;
  return { partition: place?.partition, what: table === 'resources' ? record : `${record}/_history/${version}` };
}
