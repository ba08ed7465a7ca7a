import type { JobResult, RebuildJob } from './jobs.ts';
import type { Database } from './open.ts';
import { raiseEpoch } from './register-job.ts';
import { RowWriter } from './row-writer.ts';

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
