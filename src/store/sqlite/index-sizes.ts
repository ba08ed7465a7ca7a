import type { DatabaseIndex } from '../port/indexes.ts';
import { DeadlinePassed, StoreBusy } from '../port/errors.ts';
import type { Core } from './core.ts';
import type { Database } from './open.ts';

/**
 * The indexes of the file with their sizes: the tables of search entries with their indexes, and the indexes of records
 * and versions. One after the other, in a thread: each page is read, some gigabytes a second from memory. The size of
 * one that takes longer than a search may is undefined.
 */
export async function indexSizes({ database, readers }: Core): Promise<readonly DatabaseIndex[]> {
  const sizes: DatabaseIndex[] = [];
  for (const [collection, name] of database.all(trees)) {
    const bytes = await readers
      .ask({ kind: 'bytes', tree: String(name) })
      .then(answer => (answer.kind === 'bytes' ? answer.bytes : undefined))
      .catch((error: unknown) => {
        if (error instanceof DeadlinePassed || error instanceof StoreBusy) return undefined;
        throw error;
      });
    sizes.push({ collection: String(collection), name: String(name), state: 'ready', bytes });
  }
  return sizes;
}

/** Entries are in tables without other data; those of full text are in tables of FTS5 (words-table.ts). */
const trees = `SELECT tbl_name, name FROM sqlite_schema WHERE rootpage > 0 AND (tbl_name IN
  ('terms', 'strings', 'ranges', 'sorts', 'words_data', 'words_idx', 'words_docsize')
  OR (type = 'index' AND tbl_name IN ('resources', 'versions'))) ORDER BY tbl_name, name`;

/** The bytes of the pages of a table or an index. https://sqlite.org/dbstat.html */
export function bytesOfTree(database: Database, name: string): number {
  const [bytes] = database.get('SELECT total(pgsize) FROM dbstat WHERE name = ? AND deadline()', [name]) ?? [];
  return Number(bytes);
}
