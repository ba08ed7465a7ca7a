import type { StoreFinding } from '../port/transfer.ts';
import { attempt } from './attempt.ts';
import type { Database, Row } from './open.ts';
import { nameOf, type Places, type Table } from './places.ts';

/** An index of such a table: its own tree. */
export interface Index {
  readonly name: string;
  /** The columns that order its entries of one type. */
  readonly key: readonly ('id' | 'version' | 'last_updated' | 'ord')[];
  /** Of what it has entries: tombstones are the removed ones. */
  readonly of: 'all' | 'current' | 'removed';
}

export const recordIndexes: Readonly<Record<Table, readonly Index[]>> = {
  resources: [
    { name: 'resources_key', key: ['id'], of: 'all' },
    { name: 'resources_ord', key: ['ord', 'id'], of: 'current' },
    { name: 'resources_updated', key: ['last_updated', 'id'], of: 'current' },
    { name: 'resources_removed', key: ['last_updated', 'id'], of: 'removed' },
  ],
  versions: [
    { name: 'versions_key', key: ['id', 'version'], of: 'all' },
    { name: 'versions_updated', key: ['last_updated', 'id', 'version'], of: 'all' },
  ],
};

/** The condition of an index on its rows, for statements that use it. */
export const conditionsOf: Readonly<Record<Index['of'], string>> = {
  all: '',
  current: 'AND ord IS NOT NULL',
  removed: 'AND ord IS NULL',
};

/** Maximum number of reported records of one index: if a whole index is lost, these would be all. */
const most = 1_000;

/** Finds rows that an index of their table lacks: reads and searches by it do not find the record. */
export class Unindexed {
  readonly #database: Database;
  readonly #places: Places;
  readonly #table: Table;
  readonly #found = new Map<string, number>();

  constructor(database: Database, places: Places, table: Table) {
    this.#database = database;
    this.#places = places;
    this.#table = table;
  }

  /** The findings about the index entries of a row, with the columns of `checkedColumns`. */
  of(row: Row): readonly StoreFinding[] {
    return recordIndexes[this.#table].flatMap(index => {
      const found = this.#found.get(index.name) ?? 0;
      const why = found > most ? undefined : this.#why(index, row);
      if (why === undefined) return [];
      this.#found.set(index.name, found + 1);
      if (found === most)
        return [{ is: 'file', partition: undefined, what: '-', why: `more than ${most} records are ${why}` }];
      return [{ is: 'file', ...nameOf(this.#places, this.#table, row.slice(1)), why }];
    });
  }

  #why({ name, key, of }: Index, [rowid = null, t, id, version, updated, , , ord]: Row): string | undefined {
    if (of !== 'all' && (of === 'removed') !== (ord === null)) return undefined;
    const values = { id, version, last_updated: updated, ord };
    const same = key.map(column => `AND ${column} = ?`).join(' ');
    // The same query as in a read: if the order of entries is broken, another query may find what a read does not.
    const text = `SELECT rowid FROM ${this.#table} INDEXED BY ${name} WHERE t = ? ${same} ` + conditionsOf[of];
    const entry = attempt(() => this.#database.get(text, [t ?? null, ...key.map(column => values[column] ?? null)]));
    if (entry.failed !== undefined) return `not in the readable part of the index \`${name}\` of the file`;
    return entry.value?.[0] === rowid ? undefined : `missing from the index \`${name}\` of the file`;
  }
}
