import { setImmediate } from 'node:timers/promises';
import type { StoreFinding } from '../port/transfer.ts';
import { valueDigest } from '../record/digest.ts';
import { jsonFault, settingsFault } from '../record/faults.ts';
import type { Checked } from '../upkeep/indexes.ts';
import type { Database, Row } from './open.ts';
import { attempt, reasonOf, type Walked, walkTable } from './walk-table.ts';

/** Rows in memory. */
const rowSlice = 200;

interface Table extends Walked {
  /** The name of a row in a finding. */
  readonly nameOf: (row: Row) => string;
  /** The fault of a row; undefined if there is none. */
  readonly faultOf: (row: Row) => string | undefined;
}

const digestFault = (row: Row): string | undefined => {
  const digest = row.at(-1) ?? null;
  if (digest === null || digest === valueDigest(row.slice(0, -1))) return undefined;
  return 'it differs from what was written: its digest is another';
};

const tables: readonly Table[] = [
  {
    from: 'meta',
    key: ['key'],
    rest: ['value'],
    nameOf: ([key]) => `meta ${key}`,
    faultOf: ([key, value]) => {
      if (key === 'definitions') return typeof value === 'string' ? undefined : 'it is not a text';
      return key === 'epoch' && /^\d+$/.test(String(value)) ? undefined : 'it is not a valid value';
    },
  },
  {
    from: 'partitions',
    key: ['n'],
    rest: ['id', 'settings'],
    nameOf: ([n, id]) => `partition ${id ?? `number ${n}`}`,
    faultOf: ([, , settings]) => settingsFault(settings),
  },
  {
    from: 'parameters',
    key: ['p'],
    rest: ['code', 'state', 'after', 'done'],
    nameOf: ([p, code]) => `index ${p} (${code})`,
    faultOf: ([, , state, after, done]) =>
      ['ready', 'pending', 'dropped'].includes(String(state)) && typeof after === 'string' && typeof done === 'number'
        ? undefined
        : 'its state is not valid',
  },
  {
    from: 'documents',
    key: ['collection', 'key'],
    rest: ['value', 'expires', 'digest'],
    nameOf: ([collection, key]) => `document ${collection}/${key}`,
    faultOf: row => jsonFault(row[2]) ?? digestFault(row),
  },
  {
    from: 'marks',
    key: ['n', 'key'],
    rest: ['value', 'digest'],
    nameOf: ([n, key]) => `mark ${key} of partition number ${n}`,
    faultOf: digestFault,
  },
  {
    from: 'keys',
    key: ['n', 'key'],
    rest: ['body', 'results', 'expires', 'digest'],
    nameOf: ([n, key]) => `key ${key} of partition number ${n}`,
    faultOf: row => jsonFault(row[3]) ?? digestFault(row),
  },
];

/**
 * Checks data other than records: settings, states, documents, marks and keys of writes. Returns the number of rows.
 */
export async function* verifyValues(database: Database): AsyncIterable<Checked> {
  for (const table of tables) {
    try {
      for (const rows of walkTable(database, table, rowSlice)) {
        const findings = rows.flatMap(row => {
          const fault = table.faultOf(row);
          return fault === undefined ? [] : [inValues(table.nameOf(row), fault)];
        });
        yield { checked: rows.length, findings };
        await setImmediate();
        database.endMoment();
      }
    } catch (error) {
      yield { checked: 0, findings: [inValues(`table \`${table.from}\``, `it cannot be read: ${reasonOf(error)}`)] };
    }
  }
  yield {
    checked: 0,
    findings: [...metaFindings(database), ...countFindings(database), ...sequenceFindings(database)],
  };
}

const inValues = (what: string, why: string): StoreFinding => ({ is: 'value', partition: undefined, what, why });

/** Rows that always exist. */
function metaFindings(database: Database): readonly StoreFinding[] {
  return ['epoch', 'definitions'].flatMap(key => {
    const row = attempt(() => database.get('SELECT 1 FROM meta WHERE key = ?', [key]));
    if (row.value !== undefined) return [];
    return [inValues(`meta ${key}`, row.failed ?? 'it does not exist')];
  });
}

/** Searches and the list of partitions use counts that are updated with each write. */
function countFindings(database: Database): readonly StoreFinding[] {
  const rows = attempt(() =>
    database.all(
      'SELECT * FROM (SELECT type, n, resources, (SELECT count(*) FROM resources INDEXED BY ' +
        'resources_ord WHERE resources.t = types.t AND ord IS NOT NULL) AS there FROM types) WHERE ' +
        'resources IS NOT there AND n IN (SELECT n FROM partitions WHERE id IS NOT NULL)',
    ),
  );
  if (rows.failed !== undefined) return [inValues('counts', `they cannot be compared: ${rows.failed}`)];
  return rows.value.map(([type, n, kept, there]) =>
    inValues(`count of ${type} in partition number ${n}`, `it is ${kept}, but there are ${there}`),
  );
}

/** Numbers are never reused: the next one must be greater than the existing ones. */
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
      : [inValues(`numbers of \`${table}\``, 'the last assigned number is not greater than the existing ones')];
  });
}
