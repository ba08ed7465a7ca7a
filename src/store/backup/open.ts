import { StoreRefused } from '../port/errors.ts';
import { parseStoreUrl } from '../url.ts';
import type { BackupSource, RestoreOptions, RestoreResult } from './port.ts';

/** Opens the store at a URL for copying. Throws `StoreRefused` if it does not exist, and for MongoDB. */
export async function openBackupSource(url: string): Promise<BackupSource> {
  return (await import('../sqlite/backup/backup.ts')).openSqliteSource(fileOf(url));
}

/** Restores the store at a URL from a backup. Throws `StoreRefused` if it exists already, and for MongoDB. */
export async function restoreStore(url: string, options: RestoreOptions): Promise<RestoreResult> {
  return (await import('../sqlite/backup/restore.ts')).restoreSqlite(fileOf(url), options);
}

/** mongodump cannot copy a sharded cluster while transactions run. https://www.mongodb.com/docs/manual/core/backups/ */
function fileOf(url: string): string {
  const parsed = parseStoreUrl(url);
  if (parsed?.kind === 'sqlite') return parsed.file;
  throw new StoreRefused(
    [
      "A MongoDB store is backed up and restored with MongoDB's own tools:",
      'a replica set with `mongodump --oplog` and `mongorestore --oplogReplay`, or with snapshots of its disks;',
      'a sharded cluster with the backups of Atlas, Ops Manager or Cloud Manager.',
      'Run `verify` on the restored store',
    ].join(' '),
  );
}
