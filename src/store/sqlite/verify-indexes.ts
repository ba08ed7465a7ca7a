import { setImmediate } from 'node:timers/promises';
import { withOnly } from '../../indexing/only.ts';
import type { StoreFinding } from '../port/transfer.ts';
import { ownersDiffer, printOwners } from '../keys/owners.ts';
import type { Checked } from '../upkeep/report.ts';
import { jsonFault } from '../record/value-fault.ts';
import { attempt } from './attempt.ts';
import { type Core, partitionIndex } from './core.ts';
import { createdOf } from './created.ts';
import { paramOf, type TypeIndex } from './dictionary.ts';
import type { Row } from './open.ts';
import { type Rows, rowsOf, splitRows } from './rows.ts';
import { hasWords, recordsWithWords } from './verify-words.ts';
import { type Walked, walkTable } from './walk-table.ts';

/** Resources, or rows of an index, after which the event loop gets a turn. */
const compareSlice = 100;

/**
 * Compares the stored entries with those of the texts: first that every row of every resource exists, then that no
 * index has another row. Pending indexes are skipped. One finding per resource and parameter that differ; an unreadable
 * resource, or one that is not JSON, is a finding too, and the others are still compared.
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
  const ids = walkTable(database, ofType, compareSlice);
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
      const { name: from, order, reals } = table;
      const walked: Walked = { from, key: order, rest: restOf(table), reals, where: ['p = ?', p] };
      const rows = walkTable(database, walked, compareSlice);
      const large = new Map<string, Expected>();
      for (let entries = rows.next(); ; entries = rows.next()) {
        const now = find();
        if (now === undefined || !now.codes.has(p)) break;
        if (entries.done === true) {
          const what = `${type}?${now.codes.get(p)}`;
          if (entries.value !== undefined) findings.set(what, unread(what, `entries cannot be read: ${entries.value}`));
          break;
        }
        for (const one of surplus(core, now, { ...table, p, large }, entries.value)) findings.set(one.what, one);
        await setImmediate();
      }
      if (findings.size > 0) yield { checked: 0, findings: [...findings.values()] };
    }
  yield* surplusWords(core, find);
}

/** The rows of words that no record has. */
async function* surplusWords(core: Core, find: () => Compared | undefined): AsyncIterable<Checked> {
  const { database, options } = core;
  const indexes = find()?.index.params.filter(({ param, ready }) => ready && param.reads === 'words') ?? [];
  for (const { p, code, param } of indexes) {
    for (let after = 0; ;) {
      const now = find();
      if (now === undefined || !now.codes.has(p)) break;
      const only = withOnly(now.index.type, [param]);
      const read = attempt(() => recordsWithWords(database, p, after, compareSlice));
      if (read.failed !== undefined) {
        const [what, why] = [`${now.index.type.name}?${code}`, `entries cannot be read: ${read.failed}`];
        yield { checked: 0, findings: [{ is: 'index', partition: now.partition.id, what, why }] };
        break;
      }
      const found = read.value;
      const findings = found.flatMap(({ r, t, id }): StoreFinding[] => {
        const row = attempt(() => database.get('SELECT text FROM resources WHERE r = ?', [r]));
        const entries = attempt(() => options.extract(only, String(row.value?.[0] ?? '{}'), now.partition));
        // An unreadable resource is reported where its text is read.
        if (t === now.index.t && (entries.value === undefined || entries.value.length > 0)) return [];
        const what = t === now.index.t ? `${now.index.type.name}/${id}` : `${now.index.type.name}?${code}`;
        return [{ is: 'index', partition: now.partition.id, what, why: `\`${code}\` has an entry too many` }];
      });
      if (findings.length > 0) yield { checked: 0, findings };
      if (found.length < compareSlice) break;
      after = found.at(-1)?.r ?? 0;
      await setImmediate();
    }
  }
}

interface Compared {
  readonly index: TypeIndex;
  readonly partition: { readonly id: string; readonly zone: string };
  /** Of the complete indexes. */
  readonly codes: ReadonlyMap<number, string>;
}

interface Table {
  readonly name: keyof Rows;
  /** The key of a row after `p`: first the columns of `Rows`, then those of the resource. */
  readonly key: readonly string[];
  /** The columns that order its rows. */
  readonly order: readonly string[];
  /** The columns of numbers that may be of any size. */
  readonly reals: readonly string[];
}

const tables: readonly Table[] = [
  { name: 'terms', key: ['v', 'item', 'ord', 'id'], order: ['v', 'ord', 'id', 'item'], reals: [] },
  {
    name: 'strings',
    key: ['folded', 'text', 'item', 'ord', 'id'],
    order: ['folded', 'text', 'id', 'item'],
    reals: [],
  },
  {
    name: 'ranges',
    key: ['k', 'long', 'low', 'high', 'item', 'ord', 'id'],
    order: ['k', 'long', 'low', 'high', 'id', 'item'],
    reals: ['low', 'high'],
  },
  { name: 'sorts', key: ['which', 'k', 'ord', 'id'], order: ['which', 'k', 'id'], reals: [] },
];

function comparedType(core: Core, partition: string, type: string): Compared | undefined {
  const known = partitionIndex(core, partition);
  const index = known?.types.get(type);
  if (known === undefined || index === undefined) return undefined;
  const ready = [...index.indexes.values()].filter(one => one.ready);
  const codes = new Map(ready.map(one => [one.p, paramOf(one.code, index.type)]));
  return { index, partition: { id: partition, zone: known.settings.zone }, codes };
}

/**
 * The findings about the entries of a resource; undefined for a tombstone, and for one that does not exist any more.
 */
function compareResource(
  { database, options }: Core,
  { index, partition, codes }: Compared,
  id: string,
): readonly StoreFinding[] | undefined {
  const name = { partition: partition.id, what: `${index.type.name}/${id}` };
  const row = attempt(() =>
    database.get('SELECT text, last_updated, ord, r, owners, version FROM resources WHERE t = ? AND id = ?', [
      index.t,
      id,
    ]),
  );
  if (row.failed !== undefined) return [{ is: 'unreadable', ...name, why: row.failed }];
  const [text, lastUpdated, kept = null, r = null, owners, version] = row.value ?? [];
  if (kept === null) return undefined;
  const made = attempt(() => {
    const entries = options.extract(index.type, String(text), partition);
    const current = { t: index.t, id, version: Number(version), lastUpdated: Number(lastUpdated) };
    const { rows, ord = createdOf(database, current) } = rowsOf(index, entries);
    return { rows, ord, owners: printOwners(index.type, entries) };
  });
  if (made.failed !== undefined)
    return jsonFault(text) === undefined
      ? [{ is: 'index', ...name, why: 'its entries cannot be extracted' }]
      : [{ is: 'text', ...name, why: 'its text is not JSON' }];
  const { rows, ord } = made.value;
  const what = index.type.sortDate === undefined ? 'the time of creation' : 'the sort date';
  const found: StoreFinding[] = ord === kept ? [] : [{ is: 'index', ...name, why: `${what} differs` }];
  if (ownersDiffer(index.type, owners, made.value.owners))
    found.push({ is: 'index', ...name, why: 'the owners differ' });
  const lacking = new Set<string>();
  for (const { name: table, key } of tables) {
    // `r` too: a row that leads to another record returns that one.
    const conditions = ['p', ...key, 'r'].map(column => `${column} = ?`).join(' AND ');
    for (const entry of splitRows(rows, table)) {
      const code = codes.get(Number(entry[0]));
      if (code === undefined) continue;
      const there = attempt(() => database.get(`SELECT 1 FROM ${table} WHERE ${conditions}`, [...entry, kept, id, r]));
      if (there.value === undefined) lacking.add(code);
    }
  }
  for (const [p = 0, words] of splitRows(rows, 'words')) {
    const code = codes.get(Number(p));
    if (code !== undefined && !hasWords(database, Number(p), Number(r), String(words))) lacking.add(code);
  }
  return [
    ...found,
    ...[...lacking].map(code => ({ is: 'index', ...name, why: `\`${code}\` lacks an entry` }) as const),
  ];
}

/** The columns of its key that do not order a table. */
const restOf = ({ key, order }: Table): readonly string[] => key.filter(column => !order.includes(column));

/** The rows that a version of a resource has in an index. */
interface Expected {
  readonly version: unknown;
  readonly index: TypeIndex;
  readonly keys: ReadonlySet<string>;
}

/** Rows of large resources that are remembered between slices: those of a larger one alone. */
const mostRemembered = 500_000;

/** Remembers what a resource with more rows than a slice has, so that it is not extracted again for each slice. */
function remember(large: Map<string, Expected>, id: string, expected: Expected): void {
  if (expected.keys.size <= compareSlice) return;
  let sum = expected.keys.size;
  for (const { keys } of large.values()) sum += keys.size;
  for (const [other, { keys }] of large) {
    if (sum <= mostRemembered) break;
    large.delete(other);
    sum -= keys.size;
  }
  large.set(id, expected);
}

/** The rows of an index that their resource does not have. */
function surplus(
  { database, options }: Core,
  { index, partition, codes }: Compared,
  { p, large, ...table }: Table & { readonly p: number; readonly large: Map<string, Expected> },
  rows: readonly Row[],
): readonly StoreFinding[] {
  const { name, key, order } = table;
  const columns = [...order, ...restOf(table)];
  const places = key.map(column => columns.indexOf(column));
  const expected = new Map<string, ReadonlySet<string> | undefined>();
  const keysOf = (id: string): ReadonlySet<string> => {
    const known = large.get(id);
    if (known !== undefined) {
      const [version] = database.get('SELECT version FROM resources WHERE t = ? AND id = ?', [index.t, id]) ?? [];
      if (known.version === version && known.index === index) return known.keys;
      large.delete(id);
    }
    const [text, lastUpdated, version] =
      database.get('SELECT text, last_updated, version FROM resources WHERE t = ? AND id = ?', [index.t, id]) ?? [];
    if (typeof text !== 'string') return new Set();
    const current = { t: index.t, id, version: Number(version), lastUpdated: Number(lastUpdated) };
    const { rows: given, ord = createdOf(database, current) } = rowsOf(
      index,
      options.extract(index.type, text, partition),
    );
    const own = splitRows(given, name).filter(row => row[0] === p);
    const keys = new Set(own.map(row => JSON.stringify([...row.slice(1), ord, id])));
    remember(large, id, { version, index, keys });
    return keys;
  };
  return rows.flatMap(row => {
    const entry = places.map(at => row[at] ?? null);
    const id = String(entry.at(-1));
    // An unreadable resource is reported where its text is read.
    if (!expected.has(id)) expected.set(id, attempt(() => keysOf(id)).value);
    const given = expected.get(id);
    if (given === undefined || given.has(JSON.stringify(entry))) return [];
    const why = `\`${codes.get(p)}\` has an entry too many`;
    return [{ is: 'index', partition: partition.id, what: `${index.type.name}/${id}`, why }];
  });
}
