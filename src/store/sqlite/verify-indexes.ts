import { setImmediate } from 'node:timers/promises';
import type { StoreFinding } from '../transfer.ts';
import type { Checked } from '../upkeep/report.ts';
import { jsonFault } from '../value-fault.ts';
import { attempt } from './attempt.ts';
import { type Core, partitionIndex } from './core.ts';
import { paramOf, type TypeIndex } from './dictionary.ts';
import type { Row } from './open.ts';
import { type Rows, rowsOf, rowWidths } from './rows.ts';
import { type Walked, walkTable } from './walk-table.ts';

/** Resources, or rows of an index, that are compared before the event loop gets a turn. */
const slice = 100;

/**
 * Compares what is kept with what the texts give: first that every row of every resource is there, then that no index
 * holds a row that no resource gives. Pending indexes are left out. One finding a resource and parameter that differ; a
 * resource that cannot be read, or is not JSON, is one too, and the others are compared all the same.
 */
export async function* verifyType(core: Core, partition: string, type: string): AsyncIterable<Checked> {
  const { database } = core;
  const find = (): Compared | undefined => {
    database.endMoment();
    return comparedType(core, partition, type);
  };
  const unread = (what: string, why: string): StoreFinding => ({ is: 'index', partition, what, why });
  const first = find();
  if (first === undefined) return;
  // The ids by the index, which is another tree than the texts.
  const ofType: Walked = { from: 'resources INDEXED BY resources_key', key: ['id'], where: ['t = ?', first.index.t] };
  const ids = walkTable(database, ofType, slice);
  let step = ids.next();
  for (; step.done !== true; step = ids.next()) {
    const now = find();
    if (now === undefined) return;
    const compared = step.value.flatMap(([id]) => {
      const findings = compareResource(core, now, String(id));
      return findings === undefined ? [] : [findings];
    });
    yield { checked: compared.length, findings: compared.flat() };
    await setImmediate();
  }
  if (step.value !== undefined)
    yield { checked: 0, findings: [unread(type, `ids of records cannot be read: ${step.value}`)] };
  for (const table of tables)
    for (const p of first.codes.keys()) {
      const findings = new Map<string, StoreFinding>();
      const walked: Walked = { from: table.name, key: table.order, rest: restOf(table), where: ['p = ?', p] };
      const rows = walkTable(database, walked, slice);
      for (let entries = rows.next(); ; entries = rows.next()) {
        const now = find();
        if (now === undefined || !now.codes.has(p)) break;
        if (entries.done === true) {
          const what = `${type}?${now.codes.get(p)}`;
          if (entries.value !== undefined) findings.set(what, unread(what, `entries cannot be read: ${entries.value}`));
          break;
        }
        for (const one of surplus(core, now, { ...table, p }, entries.value)) findings.set(one.what, one);
        await setImmediate();
      }
      if (findings.size > 0) yield { checked: 0, findings: [...findings.values()] };
    }
}

interface Compared {
  readonly index: TypeIndex;
  readonly partition: { readonly id: string; readonly zone: string };
  /** Of the indexes that are complete. */
  readonly codes: ReadonlyMap<number, string>;
}

interface Table {
  readonly name: keyof Rows;
  /** The key of a row beside `p`: first the columns that `Rows` gives, then those of the resource. */
  readonly key: readonly string[];
  /** What orders its rows. */
  readonly order: readonly string[];
}

const tables: readonly Table[] = [
  { name: 'terms', key: ['v', 'item', 'ord', 'id'], order: ['v', 'ord', 'id', 'item'] },
  {
    name: 'strings',
    key: ['folded', 'text', 'item', 'ord', 'id'],
    order: ['folded', 'text', 'id', 'item'],
  },
  {
    name: 'ranges',
    key: ['k', 'long', 'low', 'high', 'item', 'ord', 'id'],
    order: ['k', 'long', 'low', 'high', 'id', 'item'],
  },
  { name: 'sorts', key: ['which', 'k', 'ord', 'id'], order: ['which', 'k', 'id'] },
];

function comparedType(core: Core, partition: string, type: string): Compared | undefined {
  const known = partitionIndex(core, partition);
  const index = known?.types.get(type);
  if (known === undefined || index === undefined) return undefined;
  const ready = [...index.indexes.values()].filter(one => one.ready);
  const codes = new Map(ready.map(one => [one.p, paramOf(one.code, index.type)]));
  return { index, partition: { id: partition, zone: known.settings.zone }, codes };
}

/** What is wrong with the entries of a resource; undefined for a tombstone, and for one that is not there any more. */
function compareResource(
  { database, options }: Core,
  { index, partition, codes }: Compared,
  id: string,
): readonly StoreFinding[] | undefined {
  const name = { partition: partition.id, what: `${index.type.name}/${id}` };
  const row = attempt(() =>
    database.get('SELECT text, last_updated, ord, r FROM resources WHERE t = ? AND id = ?', [index.t, id]),
  );
  if (row.failed !== undefined) return [{ is: 'unreadable', ...name, why: row.failed }];
  const [text, lastUpdated, kept = null, r = null] = row.value ?? [];
  if (kept === null) return undefined;
  const made = attempt(() => rowsOf(index, options.extract(index.type, String(text), partition)));
  if (made.failed !== undefined)
    return jsonFault(text) === undefined
      ? [{ is: 'index', ...name, why: 'its entries cannot be made' }]
      : [{ is: 'text', ...name, why: 'its text is not JSON' }];
  const { rows, ord = Number(lastUpdated) } = made.value;
  const found: StoreFinding[] = ord === kept ? [] : [{ is: 'index', ...name, why: 'the sort date is another' }];
  const lacking = new Set<string>();
  for (const { name: table, key } of tables) {
    // `r` too: a row that leads to another record answers with that one.
    const conditions = ['p', ...key, 'r'].map(column => `${column} = ?`).join(' AND ');
    for (const entry of slices(rows[table], rowWidths[table])) {
      const code = codes.get(Number(entry[0]));
      if (code === undefined) continue;
      const there = attempt(() => database.get(`SELECT 1 FROM ${table} WHERE ${conditions}`, [...entry, kept, id, r]));
      if (there.value === undefined) lacking.add(code);
    }
  }
  return [
    ...found,
    ...[...lacking].map(code => ({ is: 'index', ...name, why: `\`${code}\` lacks an entry` }) as const),
  ];
}

/** The columns of its key that do not order a table. */
const restOf = ({ key, order }: Table): readonly string[] => key.filter(column => !order.includes(column));

/** Those rows of an index that their resource does not give. */
function surplus(
  { database, options }: Core,
  { index, partition, codes }: Compared,
  { p, ...table }: Table & { readonly p: number },
  rows: readonly Row[],
): readonly StoreFinding[] {
  const { name, key, order } = table;
  const columns = [...order, ...restOf(table)];
  const places = key.map(column => columns.indexOf(column));
  const expected = new Map<string, ReadonlySet<string> | undefined>();
  const keysOf = (id: string): ReadonlySet<string> => {
    const [text, lastUpdated] =
      database.get('SELECT text, last_updated FROM resources WHERE t = ? AND id = ?', [index.t, id]) ?? [];
    if (typeof text !== 'string') return new Set();
    const { rows: given, ord = Number(lastUpdated) } = rowsOf(index, options.extract(index.type, text, partition));
    const own = slices(given[name], rowWidths[name]).filter(row => row[0] === p);
    return new Set(own.map(row => JSON.stringify([...row.slice(1), ord, id])));
  };
  return rows.flatMap(row => {
    const entry = places.map(at => row[at] ?? null);
    const id = String(entry.at(-1));
    // A resource that cannot be read is told where it is looked for.
    if (!expected.has(id)) expected.set(id, attempt(() => keysOf(id)).value);
    const given = expected.get(id);
    if (given === undefined || given.has(JSON.stringify(entry))) return [];
    const why = `\`${codes.get(p)}\` has an entry too many`;
    return [{ is: 'index', partition: partition.id, what: `${index.type.name}/${id}`, why }];
  });
}

function slices(flat: readonly (number | string)[], width: number): readonly (readonly (number | string)[])[] {
  return Array.from({ length: flat.length / width }, (_, at) => flat.slice(at * width, (at + 1) * width));
}
