import { setImmediate } from 'node:timers/promises';
import type { VerifyProgress } from '../store.ts';
import { type Core, partitionIndex } from './core.ts';
import { paramOf, type TypeIndex } from './dictionary.ts';
import type { Row } from './open.ts';
import { type Rows, rowsOf, rowWidths } from './rows.ts';

/** Resources, or rows of an index, that are compared before the event loop gets a turn. */
const slice = 100;

/**
 * Compares what is kept with what the texts give: first that every row of every resource is there, then that no index
 * holds a row that no resource gives. Pending indexes are left out. One line a resource and parameter that differ.
 */
export async function* verifyType(core: Core, partition: string, type: string): AsyncIterable<VerifyProgress> {
  const { database } = core;
  const find = (): Checked | undefined => {
    database.endMoment();
    return checkedType(core, partition, type);
  };
  const first = find();
  if (first === undefined) return;
  const [of] = database.get('SELECT resources FROM types WHERE t = ?', [first.index.t]) ?? [0];
  let checked = 0;
  for (let from = ''; ;) {
    const now = find();
    if (now === undefined) return;
    const { differences, ids } = missingRows(core, now, from);
    checked += ids.length;
    yield { type, checked, of: Number(of), differences };
    if (ids.length < slice) break;
    from = ids.at(-1) ?? '';
    await setImmediate();
  }
  for (const { name, key } of tables)
    for (const p of first.codes.keys()) {
      const differences: string[] = [];
      for (let after: Row | undefined; ;) {
        const now = find();
        if (now === undefined || !now.codes.has(p)) break;
        const rows = surplusRows(core, now, { name, key, p, after }, differences);
        if (rows.length < slice) break;
        after = rows.at(-1);
        await setImmediate();
      }
      if (differences.length > 0) yield { type, checked, of: Number(of), differences: [...new Set(differences)] };
    }
}

interface Checked {
  readonly index: TypeIndex;
  readonly partition: { readonly id: string; readonly zone: string };
  /** Of the indexes that are complete. */
  readonly codes: ReadonlyMap<number, string>;
}

/** The key of a row beside `p`: first the columns that `Rows` gives, then those of the resource. */
const tables = [
  { name: 'terms', key: ['v', 'item', 'ord', 'id'] },
  { name: 'strings', key: ['folded', 'text', 'item', 'ord', 'id'] },
  { name: 'ranges', key: ['k', 'long', 'low', 'high', 'item', 'ord', 'id'] },
  { name: 'sorts', key: ['which', 'k', 'ord', 'id'] },
] as const;

function checkedType(core: Core, partition: string, type: string): Checked | undefined {
  const known = partitionIndex(core, partition);
  const index = known?.types.get(type);
  if (known === undefined || index === undefined) return undefined;
  const ready = [...index.indexes.values()].filter(one => one.ready);
  const codes = new Map(ready.map(one => [one.p, paramOf(one.code, index.type)]));
  return { index, partition: { id: partition, zone: known.settings.zone }, codes };
}

function missingRows({ database, options }: Core, { index, partition, codes }: Checked, from: string) {
  const found = database.all(
    'SELECT id, text, last_updated, ord, r FROM resources WHERE t = ? AND id > ? AND ord IS NOT NULL ORDER BY id LIMIT ?',
    [index.t, from, slice],
  );
  const differences: string[] = [];
  const name = index.type.name;
  for (const [id = '', text, lastUpdated, kept = null, r = null] of found) {
    const { rows, ord = Number(lastUpdated) } = rowsOf(index, options.extract(index.type, String(text), partition));
    if (ord !== kept) differences.push(`${name}/${id}: the sort date is another`);
    const lacking = new Set<string>();
    for (const { name: table, key } of tables) {
      // `r` too: a row that leads to another record answers with that one.
      const conditions = ['p', ...key, 'r'].map(column => `${column} = ?`).join(' AND ');
      for (const row of slices(rows[table], rowWidths[table])) {
        const code = codes.get(Number(row[0]));
        if (code === undefined) continue;
        if (database.get(`SELECT 1 FROM ${table} WHERE ${conditions}`, [...row, kept, id, r]) === undefined)
          lacking.add(code);
      }
    }
    differences.push(...[...lacking].map(code => `${name}/${id}: \`${code}\` lacks an entry`));
  }
  return { differences, ids: found.map(([id]) => String(id)) };
}

/** Looks at the next rows of an index and notes those that their resource does not give. */
function surplusRows(
  { database, options }: Core,
  { index, partition, codes }: Checked,
  place: { name: keyof Rows; key: readonly string[]; p: number; after: Row | undefined },
  differences: string[],
): readonly Row[] {
  const { name, key, p, after } = place;
  const order = primaryKeys[name];
  const columns = order.map(column => key.indexOf(column));
  const behind = after === undefined ? [] : columns.map(at => after[at] ?? null);
  const condition = after === undefined ? '' : `AND (${order.join(', ')}) > (${order.map(() => '?').join(', ')})`;
  const rows = database.all(
    `SELECT ${key.join(', ')} FROM ${name} WHERE p = ? ${condition} ORDER BY ${order.join(', ')} LIMIT ?`,
    [p, ...behind, slice],
  );
  const expected = new Map<string, ReadonlySet<string>>();
  for (const row of rows) {
    const id = String(row.at(-1));
    let known = expected.get(id);
    if (known === undefined) {
      const [text, lastUpdated] =
        database.get('SELECT text, last_updated FROM resources WHERE t = ? AND id = ?', [index.t, id]) ?? [];
      known = new Set(
        typeof text === 'string'
          ? keysOf(index, options.extract(index.type, text, partition), name, p, id, Number(lastUpdated))
          : [],
      );
      expected.set(id, known);
    }
    if (!known.has(JSON.stringify(row)))
      differences.push(`${index.type.name}/${id}: \`${codes.get(p)}\` has an entry too many`);
  }
  return rows;
}

const primaryKeys = {
  terms: ['v', 'ord', 'id', 'item'],
  strings: ['folded', 'text', 'id', 'item'],
  ranges: ['k', 'long', 'low', 'high', 'id', 'item'],
  sorts: ['which', 'k', 'id'],
} as const;

function keysOf(
  index: TypeIndex,
  entries: Parameters<typeof rowsOf>[1],
  ...[name, p, id, lastUpdated]: readonly [name: keyof Rows, p: number, id: string, lastUpdated: number]
): readonly string[] {
  const { rows, ord = lastUpdated } = rowsOf(index, entries);
  return slices(rows[name], rowWidths[name])
    .filter(row => row[0] === p)
    .map(row => JSON.stringify([...row.slice(1), ord, id]));
}

function slices(flat: readonly (number | string)[], width: number): readonly (readonly (number | string)[])[] {
  return Array.from({ length: flat.length / width }, (_, at) => flat.slice(at * width, (at + 1) * width));
}
