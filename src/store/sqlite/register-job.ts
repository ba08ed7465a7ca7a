import type { Job, JobResult } from './jobs.ts';
import { differInRoot } from '../at-root.ts';
import { compareIndexes, isWanted } from './compare-indexes.ts';
import type { Database } from './open.ts';
import type { WantedType } from './wanted.ts';

/** Raised by whatever changes partitions, types, indexes or their states: what was read before is then stale. */
export function raiseEpoch(database: Database): void {
  database.run(`UPDATE meta SET value = value + 1 WHERE key = 'epoch'`);
}

/** Makes the definitions of this process the ones that writes follow, and each partition's indexes theirs. */
export function register(
  database: Database,
  { partitions }: Extract<Job, { kind: 'register' }>,
  definitions: string,
): JobResult {
  for (const { n, types } of partitions) registerTypes(database, n, types);
  database.run(`UPDATE meta SET value = ? WHERE key = 'definitions'`, [definitions]);
  raiseEpoch(database);
  return { kind: 'done', value: null };
}

/** The definitions that writes follow. */
export function registered(database: Database): string {
  return String(database.get(`SELECT value FROM meta WHERE key = 'definitions'`)?.[0]);
}

/**
 * What a command with other definitions is told beside a server: to go on by its public URL where that alone differs and nothing
 * depends on it, so that nobody meant the other one; else it is refused.
 */
export function besideServer(
  database: Database,
  { partitions, follows }: Extract<Job, { kind: 'register' }>,
  definitions: string,
  path: string,
): JobResult {
  const theirs = registered(database);
  if (follows && differInRoot(theirs, definitions) && isWanted(database, partitions))
    return { kind: 'elsewhere', definitions: theirs };
  const message = `A server runs on \`${path}\` with other definitions or another public URL; use the same ones, or stop it first`;
  return { kind: 'refused', message };
}

/**
 * New and changed indexes become pending, or ready where the type has no resources; where the public URL alone has changed and
 * nothing in them depends on it, they stay as they are. Indexes of the type that these definitions lack are dropped, since they are no longer kept up: whoever wants them again builds them anew. Types that the
 * definitions lack stay, since nothing of them is written.
 */
export function registerTypes(database: Database, n: number, types: readonly WantedType[]): void {
  for (const { type, indexes } of types) {
    database.run('INSERT OR IGNORE INTO types (n, type) VALUES (?, ?)', [n, type]);
    const [t = 0, resources = 0] =
      database.get('SELECT t, resources FROM types WHERE n = ? AND type = ?', [n, type]) ?? [];
    const { same, moved, changed } = compareIndexes(database, n, Number(t), indexes);
    for (const p of changed) database.run(`UPDATE parameters SET state = 'dropped' WHERE p = ?`, [p]);
    for (const { p, digest } of moved) database.run('UPDATE parameters SET digest = ? WHERE p = ?', [digest, p]);
    const kept = new Set([...same, ...moved.map(({ code }) => code)]);
    for (const { code, digest } of indexes)
      if (!kept.has(code)) addIndex(database, Number(t), code, digest, Number(resources));
  }
}

function addIndex(database: Database, t: number, code: string, digest: string, resources: number): void {
  database.run('INSERT INTO parameters (t, code, digest, state) VALUES (?, ?, ?, ?)', [
    t,
    code,
    digest,
    resources === 0 ? 'ready' : 'pending',
  ]);
}

/** Makes indexes anew under a new number, so that nothing of the old ones is left. */
export function restart(database: Database, { t, codes }: Extract<Job, { kind: 'restart' }>): JobResult {
  const [resources] = database.get('SELECT resources FROM types WHERE t = ?', [t]) ?? [0];
  const found = database.all(`SELECT p, code, digest FROM parameters WHERE t = ? AND state <> 'dropped'`, [t]);
  for (const [p = 0, code, digest] of found) {
    if (codes !== undefined && !codes.includes(String(code))) continue;
    database.run(`UPDATE parameters SET state = 'dropped' WHERE p = ?`, [p]);
    addIndex(database, t, String(code), String(digest), Number(resources));
  }
  raiseEpoch(database);
  return { kind: 'done', value: null };
}

/** Done: the number of the new partition; null where the id is taken. */
export function addPartition(
  database: Database,
  { id, settings, types }: Extract<Job, { kind: 'addPartition' }>,
): JobResult {
  const known = database.get('SELECT n FROM partitions WHERE id = ?', [id]);
  if (known !== undefined) return { kind: 'done', value: null };
  const { rowid: n } = database.run('INSERT INTO partitions (id, settings) VALUES (?, ?)', [id, settings]);
  registerTypes(database, n, types);
  raiseEpoch(database);
  return { kind: 'done', value: n };
}

/** The partition is gone at once; `sweep` deletes what is in it. Done: 1, or 0 where there was none. */
export function hidePartition(database: Database, { id }: Extract<Job, { kind: 'hidePartition' }>): JobResult {
  const { changes } = database.run('UPDATE partitions SET id = NULL WHERE id = ?', [id]);
  if (changes > 0) raiseEpoch(database);
  return { kind: 'done', value: changes };
}
