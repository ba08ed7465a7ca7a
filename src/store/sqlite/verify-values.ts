import { setImmediate } from 'node:timers/promises';
import { valueDigest } from '../record-digest.ts';
import type { StoreFinding } from '../transfer.ts';
import { jsonFault, settingsFault } from '../value-fault.ts';
import { attempt } from './attempt.ts';
import type { Database, Row } from './open.ts';
import { walkAround } from './walk-around.ts';

/** Rows that are in memory at once. */
const slice = 200;

interface Table {
  readonly name: string;
  /** What orders its rows. */
  readonly key: readonly string[];
  /** What else is read. */
  readonly rest: readonly string[];
  /** What stands for a row in a finding. */
  readonly nameOf: (row: Row) => string;
  /** What is wrong with a row; undefined where nothing is. */
  readonly faultOf: (row: Row) => string | undefined;
}

const digestFault = (row: Row): string | undefined => {
  const digest = row.at(-1) ?? null;
  if (digest === null || digest === valueDigest(row.slice(0, -1))) return undefined;
  return 'it is not what was written: its digest is another';
};

const tables: readonly Table[] = [
  {
    name: 'meta',
    key: ['key'],
    rest: ['value'],
    nameOf: ([key]) => `meta ${key}`,
    faultOf: ([key, value]) => {
      if (key === 'definitions' || key === 'upgrade') return typeof value === 'string' ? undefined : 'it is no text';
      return key === 'epoch' && /^\d+$/.test(String(value)) ? undefined : 'it is nothing that is written there';
    },
  },
  {
    name: 'partitions',
    key: ['n'],
    rest: ['id', 'settings'],
    nameOf: ([n, id]) => `partition ${id ?? `number ${n}`}`,
    faultOf: ([, , settings]) => settingsFault(settings),
  },
  {
    name: 'parameters',
    key: ['p'],
    rest: ['code', 'state', 'after', 'done'],
    nameOf: ([p, code]) => `index ${p} (${code})`,
    faultOf: ([, , state, after, done]) =>
      ['ready', 'pending', 'dropped'].includes(String(state)) && typeof after === 'string' && typeof done === 'number'
        ? undefined
        : 'its state is none',
  },
  {
    name: 'documents',
    key: ['collection', 'key'],
    rest: ['value', 'expires', 'digest'],
    nameOf: ([collection, key]) => `document ${collection}/${key}`,
    faultOf: row => jsonFault(row[2]) ?? digestFault(row),
  },
  {
    name: 'marks',
    key: ['n', 'key'],
    rest: ['value', 'digest'],
    nameOf: ([n, key]) => `mark ${key} of partition number ${n}`,
    faultOf: digestFault,
  },
  {
    name: 'keys',
    key: ['n', 'key'],
    rest: ['body', 'results', 'expires', 'digest'],
    nameOf: ([n, key]) => `key ${key} of partition number ${n}`,
    faultOf: row => jsonFault(row[3]) ?? digestFault(row),
  },
];

/**
 * Checks what is kept beside the records: settings, states, documents, marks and keys of writes. Gives how many rows
 * that were.
 */
export async function* verifyValues(
  database: Database,
): AsyncIterable<{ readonly checked: number; readonly findings: readonly StoreFinding[] }> {
  for (const table of tables) {
    const slices = walkAround((from, backwards, limit) => readSlice(database, table, from, backwards, limit), table.key.length, slice); // prettier-ignore
    for (let step = slices.next(); ; step = slices.next()) {
      if (step.done === true) {
        const broken = step.value;
        const findings =
          broken === undefined ? [] : [inValues(`table \`${table.name}\``, `it cannot be read: ${broken}`)];
        yield { checked: 0, findings };
        break;
      }
      const findings = step.value.flatMap(row => {
        const fault = table.faultOf(row);
        return fault === undefined ? [] : [inValues(table.nameOf(row), fault)];
      });
      yield { checked: step.value.length, findings };
      await setImmediate();
      database.endMoment();
    }
  }
  const others = [...metaFindings(database), ...countFindings(database), ...sequenceFindings(database)];
  yield { checked: 0, findings: others };
}

const inValues = (what: string, why: string): StoreFinding => ({ is: 'value', partition: undefined, what, why });

function readSlice(
  database: Database,
  { name, key, rest }: Table,
  from: Row | undefined,
  backwards: boolean,
  limit: number,
): readonly Row[] {
  const order = key.map(column => `${column} ${backwards ? 'DESC' : 'ASC'}`).join(', ');
  const marks = key.map(() => '?').join(', ');
  const behind = from === undefined ? '' : `WHERE (${key.join(', ')}) ${backwards ? '<' : '>'} (${marks})`;
  return database.all(`SELECT ${[...key, ...rest].join(', ')} FROM ${name} ${behind} ORDER BY ${order} LIMIT ?`, [
    ...(from?.slice(0, key.length) ?? []),
    limit,
  ]);
}

/** What is always there. */
function metaFindings(database: Database): readonly StoreFinding[] {
  return ['epoch', 'definitions'].flatMap(key => {
    const row = attempt(() => database.get('SELECT 1 FROM meta WHERE key = ?', [key]));
    if (row.value !== undefined) return [];
    return [inValues(`meta ${key}`, row.failed ?? 'it is not there')];
  });
}

/** Searches and the list of partitions go by counts that are kept with each write. */
function countFindings(database: Database): readonly StoreFinding[] {
  const rows = attempt(() =>
    database.all(
      'SELECT * FROM (SELECT type, n, resources, (SELECT count(*) FROM resources INDEXED BY resources_ord WHERE resources.t = types.t AND ord IS NOT NULL) AS there FROM types) WHERE resources IS NOT there AND n IN (SELECT n FROM partitions WHERE id IS NOT NULL)',
    ),
  );
  if (rows.failed !== undefined) return [inValues('counts', `they cannot be compared: ${rows.failed}`)];
  return rows.value.map(([type, n, kept, there]) =>
    inValues(`count of ${type} in partition number ${n}`, `it says ${kept}, and there are ${there}`),
  );
}

/** Numbers are never used again: the next one must be behind those that are there. */
function sequenceFindings(database: Database): readonly StoreFinding[] {
  return [
    ['partitions', 'n'],
    ['types', 't'],
    ['parameters', 'p'],
  ].flatMap(([table, column]) => {
    const row = attempt(() =>
      database.get(`SELECT max(${column}), (SELECT seq FROM sqlite_sequence WHERE name = '${table}') FROM ${table}`),
    );
    if (row.failed !== undefined) return [inValues(`numbers of \`${table}\``, row.failed)];
    const [most = null, last = null] = row.value ?? [];
    const isRight = most === null || (typeof last === 'number' && last >= Number(most));
    return isRight
      ? []
      : [inValues(`numbers of \`${table}\``, 'the last that was given is not behind those that are there')];
  });
}
