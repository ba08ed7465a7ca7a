import { setImmediate } from 'node:timers/promises';
import type { StoreFinding } from '../transfer.ts';
import type { VerifyProgress } from '../indexes.ts';
import { parseOwners, printOwners } from '../owners.ts';
import { jsonFault } from '../value-fault.ts';
import { attempt } from './attempt.ts';
import { type Core, partitionIndex } from './core.ts';
import { paramOf, type TypeIndex } from './dictionary.ts';
import type { Row } from './open.ts';
import { type Rows, rowsOf, rowWidths } from './rows.ts';
import { walkAround } from './walk-around.ts';

/** Resources, or rows of an index, that are compared before the event loop gets a turn. */
const slice = 100;

/**
 * Compares what is kept with what the texts give: first that every row of every resource is there, then that no index
 * holds a row that no resource gives. Pending indexes are left out. One finding a resource and parameter that differ; a
 * resource that cannot be read, or is not JSON, is one too, and the others are compared all the same.
 */
export async function* verifyType(core: Core, partition: string, type: string): AsyncIterable<VerifyProgress> {
  const { database } = core;
  const find = (): Checked | undefined => {
    database.endMoment();
    return checkedType(core, partition, type);
  };
  const first = find();
  if (first === undefined) return;
  const of = Number(attempt(() => database.get('SELECT resources FROM types WHERE t = ?', [first.index.t])).value?.[0]);
  let checked = 0;
  const progress = (findings: readonly StoreFinding[]): VerifyProgress => ({ type, checked, of: of || 0, findings });
  const ids = idsOf(core, first.index.t);
  for (let step = ids.next(); ; step = ids.next()) {
    const now = find();
    if (now === undefined) return;
    if (step.done === true) {
      const why = `ids of records cannot be read: ${step.value}`;
      if (step.value !== undefined) yield progress([{ is: 'index', partition, what: type, why }]);
      break;
    }
    const findings = step.value.flatMap(([id]) => {
      const found = compareResource(core, now, String(id));
      if (found !== undefined) checked += 1;
      return found ?? [];
    });
    yield progress(findings);
    await setImmediate();
  }
  for (const table of tables)
    for (const p of first.codes.keys()) {
      const findings = new Map<string, StoreFinding>();
      const rows = entriesOf(core, table, p);
      for (let step = rows.next(); ; step = rows.next()) {
        const now = find();
        if (now === undefined || !now.codes.has(p)) break;
        if (step.done === true) {
          const why = `entries cannot be read: ${step.value}`;
          const what = `${type}?${now.codes.get(p)}`;
          if (step.value !== undefined) findings.set(what, { is: 'index', partition, what, why });
          break;
        }
        for (const finding of surplus(core, now, { ...table, p }, step.value)) findings.set(finding.what, finding);
        await setImmediate();
      }
      if (findings.size > 0) yield progress([...findings.values()]);
    }
}

interface Checked {
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

function checkedType(core: Core, partition: string, type: string): Checked | undefined {
  const known = partitionIndex(core, partition);
  const index = known?.types.get(type);
  if (known === undefined || index === undefined) return undefined;
  const ready = [...index.indexes.values()].filter(one => one.ready);
  const codes = new Map(ready.map(one => [one.p, paramOf(one.code, index.type)]));
  return { index, partition: { id: partition, zone: known.settings.zone }, codes };
}

/** The ids of a type by the index, which is another tree than the texts. */
const idsOf = ({ database }: Core, t: number): Generator<readonly Row[], string | undefined> =>
  walkAround(
    (from, backwards, limit) =>
      database.all(
        `SELECT id FROM resources INDEXED BY resources_key WHERE t = ? ${from === undefined ? '' : `AND id ${backwards ? '<' : '>'} ?`} ORDER BY id ${backwards ? 'DESC' : 'ASC'} LIMIT ?`,
        [t, ...(from ?? []), limit],
      ),
    1,
    slice,
  );

/** What is wrong with the entries of a resource; undefined for a tombstone, and for one that is not there any more. */
function compareResource(
  { database, options }: Core,
  { index, partition, codes }: Checked,
  id: string,
): readonly StoreFinding[] | undefined {
  const name = { partition: partition.id, what: `${index.type.name}/${id}` };
  const row = attempt(() =>
    database.get('SELECT text, last_updated, ord, r, owners FROM resources WHERE t = ? AND id = ?', [index.t, id]),
  );
  if (row.failed !== undefined) return [{ is: 'unreadable', ...name, why: row.failed }];
  const [text, lastUpdated, kept = null, r = null, owners] = row.value ?? [];
  if (kept === null) return undefined;
  const made = attempt(() => {
    const entries = options.extract(index.type, String(text), partition);
    return { ...rowsOf(index, entries), owners: printOwners(index.type, entries) };
  });
  if (made.failed !== undefined)
    return jsonFault(text) === undefined
      ? [{ is: 'index', ...name, why: 'its entries cannot be made' }]
      : [{ is: 'text', ...name, why: 'its text is not JSON' }];
  const { rows, ord = Number(lastUpdated) } = made.value;
  const found: StoreFinding[] = ord === kept ? [] : [{ is: 'index', ...name, why: 'the sort date is another' }];
  if (isOfThese(index.type, owners) && owners !== made.value.owners)
    found.push({ is: 'index', ...name, why: 'the owners are others' });
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

/** Owners by other definitions are not used. */
function isOfThese(type: TypeIndex['type'], owners: Row[number] | undefined): boolean {
  return typeof owners === 'string' && parseOwners(type, owners) !== undefined;
}

/** The rows of an index: what orders them, then the rest of their key. */
const entriesOf = (
  { database }: Core,
  { name, key, order }: Table,
  p: number,
): Generator<readonly Row[], string | undefined> =>
  walkAround(
    (from, backwards, limit) => {
      const marks = order.map(() => '?').join(', ');
      const behind = from === undefined ? '' : `AND (${order.join(', ')}) ${backwards ? '<' : '>'} (${marks})`;
      const sorted = order.map(column => `${column} ${backwards ? 'DESC' : 'ASC'}`).join(', ');
      return database.all(
        `SELECT ${columnsOf({ key, order }).join(', ')} FROM ${name} WHERE p = ? ${behind} ORDER BY ${sorted} LIMIT ?`,
        [p, ...(from?.slice(0, order.length) ?? []), limit],
      );
    },
    order.length,
    slice,
  );

const columnsOf = ({ key, order }: Pick<Table, 'key' | 'order'>): readonly string[] => [
  ...order,
  ...key.filter(column => !order.includes(column)),
];

/** Those rows of an index that their resource does not give. */
function surplus(
  { database, options }: Core,
  { index, partition, codes }: Checked,
  { name, key, order, p }: Table & { readonly p: number },
  rows: readonly Row[],
): readonly StoreFinding[] {
  const columns = columnsOf({ key, order });
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
