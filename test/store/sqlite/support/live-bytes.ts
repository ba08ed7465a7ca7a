import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Bytes of a file from a place on. */
export interface Bytes {
  readonly at: number;
  readonly length: number;
}

/**
 * A page in use, with the bytes of it that mean something: cells and what points to them, or all of an overflow page
 * that is used.
 */
export interface LivePage {
  readonly number: number;
  /** The table or index that it belongs to. */
  readonly of: string;
  readonly size: number;
  readonly at: number;
  readonly live: readonly Bytes[];
}

/**
 * The pages of an SQLite file that are in use, and their live bytes: what is free within a page may hold anything.
 * Nothing may wait in the WAL. https://sqlite.org/fileformat.html#b_tree_pages, https://sqlite.org/dbstat.html
 */
export function livePages(path: string): readonly LivePage[] {
  const file = readFileSync(path);
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT name, pageno, pagetype, payload, pgsize FROM dbstat ORDER BY pageno').all();
  database.close();
  return rows.map(({ name, pageno, pagetype, payload, pgsize }) => {
    const size = Number(pgsize);
    const at = (Number(pageno) - 1) * size;
    const page = file.subarray(at, at + size);
    // The first page begins with the header of the file.
    const header = pageno === 1 ? 100 : 0;
    const live =
      pagetype === 'overflow'
        ? [{ at: 0, length: 4 + Number(payload) }]
        : [...(pageno === 1 ? fileHeader : []), ...treePage(page, header)];
    return { number: Number(pageno), of: String(name), size, at, live: live.map(one => ({ ...one, at: at + one.at })) };
  });
}

/**
 * Of the header: magic, page size, formats, payload fractions, encoding, layout, application id. The others are
 * counters, hints and what SQLite leaves for later. https://sqlite.org/fileformat.html#the_database_header
 */
const fileHeader: readonly Bytes[] = [
  { at: 0, length: 24 },
  { at: 56, length: 8 },
  { at: 68, length: 24 },
];

/** What means something in a page of a tree: its kind and number of cells, the pointers to them, the cells. */
function treePage(page: Buffer, start: number): readonly Bytes[] {
  const kind = page[start] ?? 0;
  const isLeaf = kind === 13 || kind === 10;
  const header = isLeaf ? 8 : 12;
  const cells = page.readUInt16BE(start + 3);
  const live: Bytes[] = [
    { at: start, length: 1 },
    { at: start + 3, length: 2 },
    ...(isLeaf ? [] : [{ at: start + 8, length: 4 }]),
    { at: start + header, length: 2 * cells },
  ];
  for (let cell = 0; cell < cells; cell += 1) {
    const at = page.readUInt16BE(start + header + 2 * cell);
    live.push({ at, length: cellLength(page, at, kind) });
  }
  return live;
}

function cellLength(page: Buffer, start: number, kind: number): number {
  const isTable = kind === 13 || kind === 5;
  const isLeaf = kind === 13 || kind === 10;
  let at = isLeaf ? start : start + 4;
  if (kind === 5) return at + varint(page, at).length - start;
  const payload = varint(page, at);
  at += payload.length;
  if (isTable) at += varint(page, at).length;
  const usable = page.length;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (payload.value <= most) return at + payload.value - start;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const local = least + ((payload.value - least) % (usable - 4));
  return at + (local <= most ? local : least) + 4 - start;
}

function varint(page: Buffer, start: number): { readonly value: number; readonly length: number } {
  let value = 0;
  for (let length = 1; length <= 9; length += 1) {
    const byte = page[start + length - 1] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, length };
  }
  return { value, length: 9 };
}
