import { Turns } from '../../limits/turns.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import type { HistoryScope, KeptVersion, VersionKey } from '../port/transfer.ts';
import { attachedTo } from './attachments.ts';
import type { Database } from './open.ts';
import { typeNumber } from './restore.ts';
import { allOf, limit, raw, type Sql, sql } from './sql.ts';
import { ownedVersion } from './versions.ts';

/** Number of records after which the event loop may get a turn. */
const recordSlice = 200;

/** Where versions are read: a partition (`n`) in the file. */
export interface HistoryPlace {
  readonly database: Database;
  readonly n: number;
  readonly model: StoreDefinitions['model'];
}

/**
 * The keys of the next versions in the order of time. Each type has three ranges, of current versions, tombstones and
 * older versions; each named record has two.
 */
export async function nextKeys({ database, n }: HistoryPlace, scope: HistoryScope): Promise<readonly VersionKey[]> {
  const turns = new Turns();
  const keys: VersionKey[] = [];
  const read = (type: string, select: Sql): void => {
    for (const [lastUpdated, id, version] of database.query(select))
      keys.push({ type, lastUpdated: Number(lastUpdated), id: String(id), version: Number(version) });
  };
  for (const { type, ids } of scope.of) {
    const t = typeNumber(database, n, type);
    if (t === 0) continue;
    await turns.next();
    if (ids === undefined) for (const range of rangesOf(t, type, scope)) read(type, range);
    for (const [at, id] of (ids ?? []).entries()) {
      if (at % recordSlice === recordSlice - 1) await turns.next();
      for (const range of rangesOfRecord(t, type, id, scope)) read(type, range);
    }
  }
  return keys;
}

/** The versions with these keys, in their order; each may have moved from the current ones to the others meanwhile. */
export async function* versionsAt(
  { database, n, model }: HistoryPlace,
  keys: readonly VersionKey[],
): AsyncIterable<KeptVersion> {
  const turns = new Turns();
  const fields = 'SELECT id, version, last_updated, owners, text FROM';
  for (const { type, id, version } of keys) {
    await turns.next();
    const t = typeNumber(database, n, type);
    const row = database.get(
      `${fields} resources WHERE t = ?1 AND id = ?2 AND version = ?3 UNION ALL ` +
        `${fields} versions WHERE t = ?1 AND id = ?2 AND version = ?3`,
      [t, id, version],
    );
    if (row === undefined) continue;
    yield {
      ...ownedVersion(type, model.types.get(type), row),
      attachments: attachedTo(database, t, id, version),
    };
  }
}

const columns = raw('SELECT last_updated, id, version');

/** The ranges of a type. A record has one current version. */
function rangesOf(t: number, type: string, scope: HistoryScope): readonly Sql[] {
  const condition = within(type, scope);
  const by = (...names: readonly string[]): Sql => sql`ORDER BY ${inOrder(scope, names)} ${limit(scope.slice)}`;
  const current = sql`AND ${condition} ${by('last_updated', 'id')}`;
  return [
    sql`${columns} FROM resources INDEXED BY resources_updated WHERE t = ${t} AND ord IS NOT NULL ${current}`,
    sql`${columns} FROM resources INDEXED BY resources_removed WHERE t = ${t} AND ord IS NULL ${current}`,
    sql`${columns} FROM versions INDEXED BY versions_updated
      WHERE t = ${t} AND ${condition} ${by('last_updated', 'id', 'version')}`,
  ];
}

/** The current version of a record, and a range of the others: their order is that of their numbers. */
function rangesOfRecord(t: number, type: string, id: string, scope: HistoryScope): readonly Sql[] {
  const { after } = scope;
  const isSame = after?.type === type && after.id === id;
  const beyond = isSame ? sql`AND version ${comparison(scope)} ${after.version}` : raw('');
  const where = sql`WHERE t = ${t} AND id = ${id} ${beyond} AND ${within(type, scope)}`;
  return [
    sql`${columns} FROM resources ${where}`,
    sql`${columns} FROM versions ${where} ORDER BY ${inOrder(scope, ['version'])} ${limit(scope.slice)}`,
  ];
}

function within(type: string, scope: HistoryScope): Sql {
  const { order, from, to, after } = scope;
  return allOf([
    ...(from === undefined ? [] : [sql`last_updated >= ${from}`]),
    ...(to === undefined ? [] : [sql`last_updated <= ${to}`]),
    ...(after === undefined
      ? []
      : [afterKey(type, after, scope, order === 'newest' ? type < after.type : type > after.type)]),
  ]);
}

/** `follows`: the type comes after that of the key in the order. */
function afterKey(type: string, after: VersionKey, scope: HistoryScope, follows: boolean): Sql {
  const { lastUpdated, id, version } = after;
  if (type === after.type)
    return sql`(last_updated, id, version) ${comparison(scope)} (${lastUpdated}, ${id}, ${version})`;
  return sql`last_updated ${comparison(scope)}${raw(follows ? '=' : '')} ${lastUpdated}`;
}

const comparison = ({ order }: HistoryScope): Sql => raw(order === 'newest' ? '<' : '>');

const inOrder = ({ order }: HistoryScope, by: readonly string[]): Sql =>
  raw(by.map(column => (order === 'newest' ? `${column} DESC` : column)).join(', '));
