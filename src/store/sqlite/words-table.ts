import { boundary, type Phrase } from '../../indexing/words.ts';
import type { WordsClause } from '../plan/clause.ts';
import { StoreRefused } from '../port/errors.ts';
import type { Database } from './open.ts';
import type { Source } from './source.ts';
import { raw, type Sql, sql } from './sql.ts';

/**
 * The words of full-text search, in a table of FTS5 without the texts. It exists from the first index of words on, so
 * that a store without one needs no FTS5. The rowid is `p << 32 | r`: the rows of an index are one range. The words are
 * folded before; each is one token, as they contain no ASCII but letters and digits. Small pages are read when one
 * record is looked up in the list of a frequent word. https://sqlite.org/fts5.html
 */
export const createWordsTable =
  `CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, content = '', contentless_delete = 1, ` +
  `tokenize = "ascii tokenchars '${boundary}'"); INSERT INTO words (words, rank) VALUES ('pgsz', 1000);`;

export const insertWords = 'INSERT OR REPLACE INTO words (rowid, text) VALUES ((?1 << 32) + ?2, ?3)';
export const deleteWords = 'DELETE FROM words WHERE rowid = (?1 << 32) + ?2';

/** Whether a store has the table. */
function hasWordsTable(database: Database): boolean {
  return database.get(`SELECT 1 FROM sqlite_schema WHERE name = 'words'`) !== undefined;
}

/**
 * Differs after every change of the table; undefined without the table. FTS5 lists its segments in row 10 of its own
 * table. If another version of SQLite does not, words are merged too often or never, and are found anyway.
 */
export function wordsState(database: Database): string | undefined {
  if (!hasWordsTable(database)) return undefined;
  const [structure] = database.get('SELECT hex(block) FROM words_data WHERE id = 10') ?? [];
  return String(structure);
}

/**
 * Has this connection read the list of segments again at its next use: a search does so after the writes of other
 * connections, the check of SQLite does not, and takes the former list for damage.
 */
export function rereadSegments(database: Database): void {
  if (hasWordsTable(database)) database.get('SELECT 1 FROM words WHERE rowid = 0');
}

/** Pages that one merge writes at most, so that its commit stays short. */
const mergeSlice = 100;

/**
 * Merges some segments of the table, two of the same size or more; false if there are none.
 * https://sqlite.org/fts5.html#the_merge_command
 */
export function mergeSomeWords(database: Database): boolean {
  if (!hasWordsTable(database)) return false;
  if (database.get(`SELECT 1 FROM words_config WHERE k = 'usermerge'`) === undefined)
    database.run(`INSERT INTO words (words, rank) VALUES ('usermerge', 2)`);
  const changes = (): number => Number(database.get('SELECT total_changes()')?.[0]);
  const before = changes();
  database.run(`INSERT INTO words (words, rank) VALUES ('merge', ?)`, [mergeSlice]);
  return changes() - before >= 2; // as FTS5 documents it
}

/** Throws `StoreRefused` if this build of SQLite has no FTS5. */
export function requireFullText(database: Database): void {
  if (database.get(`SELECT 1 FROM pragma_module_list WHERE name = 'fts5'`) !== undefined) return;
  throw new StoreRefused(
    'The definitions declare full-text search (`_text`, `_content` or `:text`), for which SQLite needs FTS5, and the ' +
      'SQLite of this Node has none. Use the Node of this installation, or remove the declarations.',
  );
}

/** The rows of an index: those with this condition on their rowid. */
const ofIndex = (rowid: Sql, p: number): Sql => sql`${rowid} BETWEEN (${p} << 32) AND (${p} << 32) + 4294967295`;

/** The records with all phrases, by a search of the words. */
export function wordsSource({ index, phrases }: WordsClause<number>): Source {
  const range = sql`SELECT c.ord, c.id, c.r FROM words w CROSS JOIN resources c ON c.r = (w.rowid & 4294967295)
    WHERE w.words MATCH ${matching(phrases)} AND ${ofIndex(raw('w.rowid'), index)}`;
  return { arms: [{ range, rest: [] }], exact: true, distinct: true };
}

/**
 * The condition that a candidate `c` has all phrases: a look at the lists of their words or, since the list of a
 * beginning is made of many, one search for all candidates.
 */
export function wordsCondition({ index, phrases }: WordsClause<number>): Sql {
  if (phrases.some(({ isPrefix }) => isPrefix)) {
    return sql`c.r IN (SELECT rowid & 4294967295 FROM words
      WHERE words MATCH ${matching(phrases)} AND ${ofIndex(raw('rowid'), index)})`;
  }
  return sql`EXISTS (SELECT 1 FROM words WHERE words MATCH ${matching(phrases)} AND rowid = (${index} << 32) + c.r)`;
}

/** The words have neither quotation marks nor operators. https://sqlite.org/fts5.html#full_text_query_syntax */
function matching(phrases: readonly Phrase[]): string {
  return phrases.map(({ text, isPrefix }) => `"${text}"${isPrefix ? ' *' : ''}`).join(' AND ');
}

/** Deletes some rows of an index; false if there are none. */
export function deleteSomeWords(database: Database, p: number, most: number): boolean {
  if (!hasWordsTable(database)) return false;
  const { changes } = database.run(
    'DELETE FROM words WHERE rowid IN (SELECT rowid FROM words WHERE rowid BETWEEN (?1 << 32) AND ' +
      '(?1 << 32) + 4294967295 ORDER BY rowid LIMIT ?2)',
    [p, most],
  );
  return changes > 0;
}

/** Words of one phrase of a comparison. */
const wordsAtOnce = 50;

/**
 * Whether the words of a record are those of this text. The table has no texts: their number is compared, and each
 * sequence of some of them is searched for.
 */
export function hasWords(database: Database, p: number, r: number, text: string): boolean {
  const words = text.trim().split(' ');
  const row = database.get('SELECT hex(sz) FROM words_docsize WHERE id = (?1 << 32) + ?2', [p, r]);
  if (row === undefined || sizeIn(String(row[0])) !== words.length) return false;
  for (let at = 0; at === 0 || at < words.length - 1; at += wordsAtOnce - 1) {
    const phrase = `"${words.slice(at, at + wordsAtOnce).join(' ')}"`;
    const search = 'SELECT 1 FROM words WHERE words MATCH ?3 AND rowid = (?1 << 32) + ?2';
    if (database.get(search, [p, r, phrase]) === undefined) return false;
  }
  return true;
}

/** The number in a blob of FTS5: seven bits a byte, the highest first. https://sqlite.org/fileformat2.html#varint */
function sizeIn(hex: string): number {
  const bytes = hex.match(/../g) ?? [];
  return bytes.reduce((size, byte) => size * 128 + (Number.parseInt(byte, 16) & 127), 0);
}

/** The records with words in an index after that of a number, in order. */
export function recordsWithWords(
  database: Database,
  p: number,
  after: number,
  most: number,
): readonly { readonly r: number; readonly t: number | null; readonly id: string }[] {
  const rows = database.all(
    `SELECT w.r, c.t, c.id FROM (SELECT rowid & 4294967295 AS r FROM words WHERE rowid > (?1 << 32) + ?2 ` +
      'AND rowid <= (?1 << 32) + 4294967295 ORDER BY rowid LIMIT ?3) w LEFT JOIN resources c ON c.r = w.r',
    [p, after, most],
  );
  return rows.map(([r, t = null, id]) => ({ r: Number(r), t: t === null ? null : Number(t), id: String(id) }));
}
