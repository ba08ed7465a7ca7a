import { setImmediate } from 'node:timers/promises';
import { withOnly } from '../../indexing/only.ts';
import { ownersDiffer, printOwners } from '../keys/owners.ts';
import type { StoreFinding } from '../port/transfer.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import type { Checked } from '../upkeep/indexes.ts';
import { type Core, partitionIndex } from './core.ts';
import { paramOf, type TypeIndex } from './dictionary.ts';
import type { Row } from './open.ts';
import { type Rows, rowsOf, splitRows } from './rows.ts';
import { createdOf } from './versions.ts';
import { reasonOf, walkTable } from './walk-table.ts';
import { hasWords, recordsWithWords } from './words-table.ts';

/** Resources, or rows of an index, after which the event loop gets a turn. */
const compareSlice = 100;

/** The type that is compared, as the file and the definitions have it now. */
interface Compared {
  readonly index: TypeIndex;
  readonly partition: { readonly id: string; readonly zone: string };
  /** The parameters of the complete indexes, by number. */
  readonly codes: ReadonlyMap<number, string>;
}

/** Undefined if the partition or the type does not exist any more. */
type FindCompared = () => Compared | undefined;

/**
 * Compares the stored entries with those of the texts: first that every row of every resource exists, then that no
 * index has another row. Pending indexes are skipped. One finding per resource and parameter that differ; one for a
 * resource that is not JSON, and one for all that follows where the file cannot be read.
 */
export async function* verifyType(core: Core, partition: string, type: string): AsyncIterable<Checked> {
  const find = (): Compared | undefined => {
    core.database.endMoment();
    return comparedType(core, partition, type);
  };
  try {
    yield* lackingEntries(core, find);
    for (const table of tables) yield* surplusEntries(core, find, table);
    yield* surplusWords(core, find);
  } catch (error) {
    const why = `its indexes cannot be compared: ${reasonOf(error)}`;
    yield { checked: 0, findings: [{ is: 'index', partition, what: type, why }] };
  }
}

function comparedType(core: Core, partition: string, type: string): Compared | undefined {
  const known = partitionIndex(core, partition);
  const index = known?.types.get(type);
  if (known === undefined || index === undefined) return undefined;
  const ready = [...index.indexes.values()].filter(one => one.ready);
  const codes = new Map(ready.map(one => [one.p, paramOf(one.code, index.type)]));
  return { index, partition: { id: partition, zone: known.settings.zone }, codes };
}

interface Table {
  readonly name: Exclude<keyof Rows, 'words'>;
  /** The key of a row after `p`: first the columns of `Rows`, then those of the resource. */
  readonly key: readonly string[];
  /** The columns that order its rows. */
  readonly order: readonly string[];
  /** The columns of numbers that may be of any size. */
  readonly reals?: readonly string[];
}

const tables: readonly Table[] = [
  { name: 'terms', key: ['v', 'item', 'ord', 'id'], order: ['v', 'ord', 'id', 'item'] },
  { name: 'strings', key: ['folded', 'text', 'item', 'ord', 'id'], order: ['folded', 'text', 'id', 'item'] },
  {
    name: 'ranges',
    key: ['k', 'long', 'low', 'high', 'item', 'ord', 'id'],
    order: ['k', 'long', 'low', 'high', 'id', 'item'],
    reals: ['low', 'high'],
  },
  { name: 'sorts', key: ['which', 'k', 'ord', 'id'], order: ['which', 'k', 'id'] },
];

async function* lackingEntries(core: Core, find: FindCompared): AsyncIterable<Checked> {
  const t = find()?.index.t;
  if (t === undefined) return;
  // The ids by the index, which is another tree than the texts.
  const ids = { from: 'resources INDEXED BY resources_key', key: ['id'], where: ['t = ?', t] } as const;
  for (const rows of walkTable(core.database, ids, compareSlice)) {
    const now = find();
    if (now === undefined) return;
    const compared = rows.flatMap(([id]) => {
      const findings = compareResource(core, now, String(id));
      return findings === undefined ? [] : [findings];
    });
    yield { checked: compared.length, findings: compared.flat() };
    await setImmediate();
  }
}

/** A current version with the rows that it should have. */
interface Expected {
  readonly text: string;
  /** Undefined if its text is not JSON. */
  readonly made: { readonly rows: Rows; readonly ord: number; readonly owners: string } | undefined;
  /** What is stored with it. */
  readonly r: number;
  readonly ord: number;
  readonly owners: unknown;
  readonly version: number;
}

/** Undefined for a tombstone, and for a resource that does not exist any more. */
function expectedOf({ database, options }: Core, { index, partition }: Compared, id: string): Expected | undefined {
  const row = database.get('SELECT text, last_updated, ord, r, owners, version FROM resources WHERE t = ? AND id = ?', [
    index.t,
    id,
  ]);
  const [text, lastUpdated, kept = null, r, owners, version] = row ?? [];
  if (kept === null) return undefined;
  const stored = { text: String(text), r: Number(r), ord: Number(kept), owners, version: Number(version) };
  const entries = entriesOfStored({ extract: options.extract }, index.type, stored.text, partition);
  if (entries === undefined) return { ...stored, made: undefined };
  const current = { t: index.t, id, version: stored.version, lastUpdated: Number(lastUpdated) };
  const { rows, ord = createdOf(database, current) } = rowsOf(index, entries);
  return { ...stored, made: { rows, ord, owners: printOwners(index.type, entries) } };
}

/**
 * The findings about the entries of a resource; undefined for a tombstone, and for one that does not exist any more.
 */
function compareResource(core: Core, compared: Compared, id: string): readonly StoreFinding[] | undefined {
  const { database } = core;
  const { index, partition, codes } = compared;
  const expected = expectedOf(core, compared, id);
  if (expected === undefined) return undefined;
  const name = { partition: partition.id, what: `${index.type.name}/${id}` };
  const { made, r, ord, owners } = expected;
  if (made === undefined) return [{ is: 'text', ...name, why: 'its text is not JSON' }];
  const wrong: string[] = [];
  if (made.ord !== ord)
    wrong.push(`${index.type.sortDate === undefined ? 'the time of creation' : 'the sort date'} differs`);
  if (ownersDiffer(index.type, owners, made.owners)) wrong.push('the owners differ');
  const lacking = new Set<string>();
  for (const { name: table, key } of tables) {
    // `r` too: a row that leads to another record returns that one.
    const conditions = ['p', ...key, 'r'].map(column => `${column} = ?`).join(' AND ');
    for (const entry of splitRows(made.rows, table)) {
      const code = codes.get(Number(entry[0]));
      if (code === undefined) continue;
      if (database.get(`SELECT 1 FROM ${table} WHERE ${conditions}`, [...entry, ord, id, r]) === undefined)
        lacking.add(code);
    }
  }
  for (const [p = 0, words] of splitRows(made.rows, 'words')) {
    const code = codes.get(Number(p));
    if (code !== undefined && !hasWords(database, Number(p), r, String(words))) lacking.add(code);
  }
  wrong.push(...[...lacking].map(code => `\`${code}\` lacks an entry`));
  return wrong.map(why => ({ is: 'index', ...name, why }));
}

/** The rows of a table that no record has. */
async function* surplusEntries(core: Core, find: FindCompared, table: Table): AsyncIterable<Checked> {
  const { name: from, key, order, reals = [] } = table;
  const rest = key.filter(column => !order.includes(column));
  for (const p of find()?.codes.keys() ?? []) {
    const findings = new Map<string, StoreFinding>();
    const keys = new ExpectedKeys(core, from, p);
    for (const rows of walkTable(core.database, { from, key: order, rest, reals, where: ['p = ?', p] }, compareSlice)) {
      const now = find();
      if (now === undefined || !now.codes.has(p)) break;
      const columns = [...order, ...rest];
      const entries = rows.map(row => key.map(column => row[columns.indexOf(column)] ?? null));
      for (const one of surplus(now, p, keys, entries)) findings.set(one.what, one);
      await setImmediate();
    }
    if (findings.size > 0) yield { checked: 0, findings: [...findings.values()] };
  }
}

/** The rows of an index that their resource does not have. */
function surplus(now: Compared, p: number, keys: ExpectedKeys, entries: readonly Row[]): readonly StoreFinding[] {
  const { index, partition, codes } = now;
  const known = new Map<string, ReadonlySet<string> | undefined>();
  return entries.flatMap(entry => {
    const id = String(entry.at(-1));
    if (!known.has(id)) known.set(id, keys.of(now, id));
    // A text that is not JSON is reported where it is compared.
    if (known.get(id)?.has(JSON.stringify(entry)) !== false) return [];
    const why = `\`${codes.get(p)}\` has an entry too many`;
    return [{ is: 'index', partition: partition.id, what: `${index.type.name}/${id}`, why }];
  });
}

/** Rows of large resources that are remembered between slices: those of a larger one alone. */
const mostRemembered = 500_000;

/** The keys of the rows that resources have in an index. */
class ExpectedKeys {
  readonly #core: Core;
  readonly #table: Table['name'];
  readonly #p: number;
  /** Keys of resources with more rows than a slice has: they are not extracted again for each slice. */
  readonly #large = new Map<string, { version: unknown; index: TypeIndex; keys: ReadonlySet<string> }>();

  constructor(core: Core, table: Table['name'], p: number) {
    this.#core = core;
    this.#table = table;
    this.#p = p;
  }

  /** None for a tombstone and for an unknown resource; undefined if the text is not JSON. */
  of(now: Compared, id: string): ReadonlySet<string> | undefined {
    const { index } = now;
    const known = this.#large.get(id);
    if (known !== undefined) {
      const where = 'FROM resources WHERE t = ? AND id = ?';
      const [version] = this.#core.database.get(`SELECT version ${where}`, [index.t, id]) ?? [];
      if (known.version === version && known.index === index) return known.keys;
      this.#large.delete(id);
    }
    const expected = expectedOf(this.#core, now, id);
    if (expected === undefined) return new Set();
    const { version, made } = expected;
    if (made === undefined) return undefined;
    const own = splitRows(made.rows, this.#table).filter(row => row[0] === this.#p);
    const keys = new Set(own.map(row => JSON.stringify([...row.slice(1), made.ord, id])));
    if (keys.size > compareSlice) this.#remember(id, { version, index, keys });
    return keys;
  }

  #remember(id: string, one: { version: unknown; index: TypeIndex; keys: ReadonlySet<string> }): void {
    let sum = one.keys.size;
    for (const { keys } of this.#large.values()) sum += keys.size;
    for (const [other, { keys }] of this.#large) {
      if (sum <= mostRemembered) break;
      this.#large.delete(other);
      sum -= keys.size;
    }
    this.#large.set(id, one);
  }
}

/** The rows of words that no record has. */
async function* surplusWords(core: Core, find: FindCompared): AsyncIterable<Checked> {
  const { database } = core;
  const options = { extract: core.options.extract };
  const indexes = find()?.index.params.filter(({ param, ready }) => ready && param.reads === 'words') ?? [];
  for (const { p, code, param } of indexes)
    for (let after = 0; ;) {
      const now = find();
      if (now === undefined || !now.codes.has(p)) break;
      const { type, t } = now.index;
      const only = withOnly(type, [param]);
      const found = recordsWithWords(database, p, after, compareSlice);
      const hasWordsNow = (r: number): boolean => {
        const [text] = database.get('SELECT text FROM resources WHERE r = ? AND text IS NOT NULL', [r]) ?? [];
        return text !== undefined && entriesOfStored(options, only, String(text), now.partition)?.length !== 0;
      };
      const findings = found
        .filter(record => record.t !== t || !hasWordsNow(record.r))
        .map((record): StoreFinding => {
          const what = record.t === t ? `${type.name}/${record.id}` : `${type.name}?${code}`;
          return { is: 'index', partition: now.partition.id, what, why: `\`${code}\` has an entry too many` };
        });
      if (findings.length > 0) yield { checked: 0, findings };
      if (found.length < compareSlice) break;
      after = found.at(-1)?.r ?? 0;
      await setImmediate();
    }
}
