import type { KnownAttachments } from '../files/sweep.ts';
import type { Database } from './open.ts';

/** What the rows of a file say of the attachments beside it. */
export const knownAttachments = (database: Database): KnownAttachments => ({
  partitions() {
    const [last = 0] = database.get(`SELECT seq FROM sqlite_sequence WHERE name = 'partitions'`) ?? [];
    return { existing: new Set(database.all('SELECT n FROM partitions').map(([n]) => Number(n))), last: Number(last) };
  },
  referred(n, digits) {
    const rows = database.all('SELECT DISTINCT digest FROM attachments WHERE n = ? AND digest >= ? AND digest < ?', [
      n,
      digits,
      `${digits}g`,
    ]);
    return new Set(rows.map(([digest]) => String(digest)));
  },
  isReferred: (n, digest) =>
    database.get('SELECT 1 FROM attachments WHERE n = ? AND digest = ? LIMIT 1', [n, digest]) !== undefined,
  references(n, digits) {
    const rows = database.all(
      'SELECT a.digest, a.size, types.type, a.id, a.version FROM attachments a JOIN types USING (t) ' +
        'WHERE a.n = ? AND a.digest >= ? AND a.digest < ?',
      [n, digits, `${digits}g`],
    );
    return rows.map(([digest, size, type, id, version]) => ({
      digest: String(digest),
      size: Number(size),
      record: `${type}/${id}/_history/${version}`,
    }));
  },
});
