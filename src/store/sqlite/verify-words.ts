import { attempt } from './attempt.ts';
import type { Database } from './open.ts';

/** Words of one phrase of a comparison. */
const atOnce = 50;

/**
 * Whether the words of a record are those of this text. The table has no texts: their number is compared, and each
 * sequence of some of them is searched for.
 */
export function hasWords(database: Database, p: number, r: number, text: string): boolean {
  const words = text.trim().split(' ');
  const row = attempt(() => database.get('SELECT hex(sz) FROM words_docsize WHERE id = (?1 << 32) + ?2', [p, r]));
  if (row.value === undefined || sizeIn(String(row.value[0])) !== words.length) return false;
  for (let at = 0; at === 0 || at < words.length - 1; at += atOnce - 1) {
    const phrase = `"${words.slice(at, at + atOnce).join(' ')}"`;
    const search = 'SELECT 1 FROM words WHERE words MATCH ?3 AND rowid = (?1 << 32) + ?2';
    if (attempt(() => database.get(search, [p, r, phrase])).value === undefined) return false;
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
