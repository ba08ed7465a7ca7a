import { isOfStored, type WantedType } from './declared-indexes.ts';
import { raiseEpoch } from './dictionary.ts';
import type { Job, JobResult, RebuildJob } from './jobs.ts';
import type { Database } from './open.ts';
import { RowWriter } from './row-writer.ts';
import { createWordsTable } from './words-table.ts';

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

/** Refuses a command with other definitions than those of a server that runs on the same file. */
export function refuseOthers(path: string): JobResult {
  const message = `A server runs on \`${path}\` with other definitions; use the same ones, or stop it first`;
  return { kind: 'refused', message };
}

/**
 * New and changed indexes become pending, or ready if the type has no resources. Indexes of the type that these
 * definitions lack are dropped, since they are no longer updated: they are rebuilt when definitions need them again.
 * Indexes of types that the definitions lack stay, since nothing of them is written.
 */
function registerTypes(database: Database, n: number, types: readonly WantedType[]): void {
  for (const { type, indexes } of types) {
    if (indexes.some(({ words }) => words === true)) database.exec(createWordsTable);
    database.run('INSERT OR IGNORE INTO types (n, type) VALUES (?, ?)', [n, type]);
    const [t = 0, resources = 0] =
      database.get('SELECT t, resources FROM types WHERE n = ? AND type = ?', [n, type]) ?? [];
    const wanted = new Map(indexes.map(({ code, digest }) => [code, digest]));
    const found = database.all(`SELECT p, code, digest FROM parameters WHERE t = ? AND state <> 'dropped'`, [t]);
    for (const [p = 0, code, digest] of found)
      if (wanted.get(String(code)) === digest) wanted.delete(String(code));
      else if (!isOfStored(String(digest)) || wanted.has(String(code)))
        database.run(`UPDATE parameters SET state = 'dropped' WHERE p = ?`, [p]);
    for (const [code, digest] of wanted) addIndex(database, Number(t), code, digest, Number(resources));
  }
}

/** Like `register`, for the parameters that are records of a partition. */
export function define(database: Database, { n, types }: Extract<Job, { kind: 'define' }>): JobResult {
  for (const { type, indexes } of types) {
    const [t, resources] = database.get('SELECT t, resources FROM types WHERE n = ? AND type = ?', [n, type]) ?? [];
    if (t === undefined) continue; // a type that no server has registered yet: it has no records
    const found = database.all(`SELECT p, code, digest FROM parameters WHERE t = ? AND state <> 'dropped'`, [t]);
    const wanted = new Map(indexes.map(({ code, digest }) => [code, digest]));
    for (const [p = 0, code, digest] of found)
      if (wanted.get(String(code)) === digest) wanted.delete(String(code));
      else if (isOfStored(String(digest))) database.run(`UPDATE parameters SET state = 'dropped' WHERE p = ?`, [p]);
      else wanted.delete(String(code)); // a declared parameter has the code
    for (const [code, digest] of wanted) addIndex(database, Number(t), code, digest, Number(resources));
  }
  raiseEpoch(database);
  return { kind: 'done', value: null };
}

function addIndex(database: Database, t: number, code: string, digest: string, resources: number): void {
  database.run('INSERT INTO parameters (t, code, digest, state) VALUES (?, ?, ?, ?)', [
    t,
    code,
    digest,
    resources === 0 ? 'ready' : 'pending',
  ]);
}

/** Rebuilds indexes under a new number, so that nothing of the old ones is left. */
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

/** Done: the number of the new partition; null if the id is used. */
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

/** The partition is hidden at once; `sweep` deletes its content. Done: 1, or 0 if there was none. */
export function hidePartition(database: Database, { id }: Extract<Job, { kind: 'hidePartition' }>): JobResult {
  const { changes } = database.run('UPDATE partitions SET id = NULL WHERE id = ?', [id]);
  if (changes > 0) raiseEpoch(database);
  return { kind: 'done', value: changes };
}

/**
 * Fills indexes from one slice of resources. A resource that has changed since it was read is skipped: its write filled
 * pending indexes too. Stale if an index has advanced meanwhile, or was dropped. Done: 1 when the indexes are complete.
 */
export function rebuild(database: Database, job: RebuildJob): JobResult {
  for (const { p, after } of job.indexes) {
    const [state, kept] = database.get('SELECT state, after FROM parameters WHERE p = ?', [p]) ?? [];
    if (state !== 'pending' || kept !== after) return { kind: 'stale' };
  }
  const rows = new RowWriter(database);
  for (const resource of job.resources) {
    const [version, ord] = database.get('SELECT version, ord FROM resources WHERE r = ?', [resource.r]) ?? [];
    if (version !== resource.version) continue;
    // If the sort date has changed, the resource gets its new order value with its first entries.
    const wanted = resource.ord;
    if (ord !== wanted) database.run('UPDATE resources SET ord = ? WHERE r = ?', [wanted, resource.r]);
    if (resource.owners !== undefined)
      database.run('UPDATE resources SET owners = ?1 WHERE r = ?2 AND owners IS NOT ?1', [resource.owners, resource.r]);
    rows.add(resource.rows, wanted, resource.id, resource.r);
  }
  rows.flush();
  const last = job.resources.at(-1);
  for (const { p, after } of job.indexes) {
    const fresh = job.resources.filter(resource => resource.id > after).length;
    database.run('UPDATE parameters SET after = max(after, ?), done = done + ? WHERE p = ?', [
      last?.id ?? after,
      fresh,
      p,
    ]);
    if (job.last) database.run(`UPDATE parameters SET state = 'ready' WHERE p = ?`, [p]);
  }
  if (job.last) raiseEpoch(database);
  return { kind: 'done', value: job.last ? 1 : 0 };
}
