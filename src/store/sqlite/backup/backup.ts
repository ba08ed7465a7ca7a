import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { checkAttachments, copyAttachments, mend, type Places, type Referenced } from '../../backup/attachments.ts';
import { copyAudit, describeAudit } from '../../backup/copy-audit.ts';
import { createManifest, databaseName, type Manifest, printManifest, readManifest } from '../../backup/manifest.ts';
import { digestOfFile, Pace } from '../../backup/pace.ts';
import { PartialBackup } from '../../backup/partial.ts';
import type { BackupFinding, BackupOptions, BackupResult, BackupSource, BackupStep } from '../../backup/port.ts';
import { auditFiles } from '../../files/audit.ts';
import { StoreRefused } from '../../port/errors.ts';
import { isDiskFull, openingError } from '../failures.ts';
import { lockFile, serverRuns } from '../lock.ts';
import { layoutOf, requireLayout } from '../migrations.ts';
import { type Database, openDatabase } from '../open.ts';
import { checkDatabase, referencedBy } from './check-database.ts';
import { copyDatabase } from './copy-database.ts';

/** An event of a server is durable after so many milliseconds at most (audit/batch.ts). */
const eventsDelay = 1_000;

/**
 * Copies a store into a folder while other processes read and write it. The order makes the parts agree:
 *
 * 1. The database, as it was at one moment (copyDatabase). Documents with keys, accounts and sessions are rows of it.
 * 2. The bytes of attachments that the copied database refers to. They were on the disk before the transaction that
 *    refers to them committed, and are never changed. Only bytes without a record are swept, so that what the snapshot
 *    refers to stays, however long this takes; but for the removal of a partition, which is looked for.
 * 3. The audit log. The event of a write is on the disk before the write; how it ended, and reads, within a second. So
 *    a log that is copied a second later than the database has the events of all that was acknowledged before, and
 *    more.
 * 4. All is read again from the copy and checked. What is damaged in the store too is in the copy as it is, and
 *    reported.
 * 5. The manifest, then the name of the folder: there is a backup only now.
 */
async function backup(source: Database, from: string, options: BackupOptions): Promise<BackupResult> {
  const folder = resolve(options.folder);
  const older = options.previous === undefined ? undefined : await olderBackup(options.previous);
  const partial = await PartialBackup.begin(folder, lockFile);
  try {
    const result = await copy(source, { from, to: partial.file, previous: older?.file }, older?.chains ?? [], options);
    await partial.finish(printManifest(result.manifest));
    return result;
  } catch (error) {
    if (!isDiskFull(error)) {
      partial.leave();
      throw error;
    }
    await partial.remove(); // a running server may need the space
    throw new StoreRefused(
      `The disk of \`${folder}\` is full; nothing was left there. Free space, or name another folder`,
    );
  }
}

async function olderBackup(folder: string): Promise<{ readonly file: string; readonly chains: Manifest['audit'] }> {
  return { file: resolve(folder, databaseName), chains: (await readManifest(folder)).audit };
}

async function copy(
  source: Database,
  places: Places,
  older: Manifest['audit'],
  { progress, pace: bytes }: BackupOptions,
): Promise<BackupResult> {
  const pace = new Pace(bytes);
  const { to } = places;
  const report = (part: BackupStep['part']) => (done: number, of: number) => progress({ part, done, of });
  const time = await copyDatabase(source, { from: places.from, to, pace }, report('database'));
  const copied = openDatabase(to, 'immutable');
  try {
    const referenced = referencedBy(copied, to);
    const linked = await copyAttachments(referenced, places, pace, report('attachments'));
    if (serverRuns(places.from)) await setTimeout(Math.max(0, time + eventsDelay - Date.now()));
    const inAudit = await copyAudit(places, older, pace, report('audit'));
    const size = (await stat(to)).size;
    const digest = await digestOfFile(to, pace, done => progress({ part: 'database digest', done, of: size }));
    const inDatabase = await checkDatabase(copied, to, pace, report('database check'));
    const damaged = await checkAttachments(referenced, pace, report('attachments check'));
    const inAttachments = await mend(damaged, places, referenced);
    requirePartitions(source, referenced, inAttachments);
    const findings = [...inDatabase, ...inAttachments, ...inAudit];
    const manifest = createManifest({
      time: new Date(time).toISOString(),
      layout: layoutOf(copied, to),
      database: { partitions: referenced.partitions.size, records: recordsIn(copied), size, digest },
      attachments: { files: referenced.files, size: referenced.size },
      audit: await describeAudit(to, pace),
      findings: findings.length,
    });
    return { manifest, findings, linked };
  } finally {
    copied.close();
  }
}

function recordsIn(database: Database): number {
  const ofPartition = 'n IN (SELECT n FROM partitions WHERE id IS NOT NULL)';
  return Number(database.get(`SELECT coalesce(sum(resources), 0) FROM types WHERE ${ofPartition}`)?.[0]);
}

/** Throws `StoreRefused` if attachments are missing because their partition was removed meanwhile. */
function requirePartitions(source: Database, { partitions }: Referenced, findings: readonly BackupFinding[]): void {
  for (const finding of findings) {
    if (finding.in !== 'attachments' || finding.is !== 'missing') continue;
    const n = partitions.get(finding.partition) ?? null;
    if (source.get('SELECT 1 FROM partitions WHERE n = ? AND id IS NOT NULL', [n]) === undefined)
      throw new StoreRefused(
        `The partition \`${finding.partition}\` was removed while it was copied; run the backup again`,
      );
  }
}

/**
 * Opens the store in a file for copying: it is not changed, and needs no definitions. Throws
 * `StoreRefused` if there is none, for a layout that this engine does not know, and for a file with other content.
 */
export function openSqliteSource(file: string): BackupSource {
  const path = resolve(file);
  if (!existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
  const database = openSource(path);
  return {
    chains: auditFiles(path),
    publicUrl: publicUrlOf(database),
    backup: options => backup(database, path, options),
    close: () => database.close(),
  };
}

function openSource(path: string): Database {
  let database: Database | undefined;
  try {
    database = openDatabase(path, 'readOnly');
    requireLayout(database, path);
    return database;
  } catch (error) {
    database?.close();
    throw openingError(error, path);
  }
}

/** Like `keptPublicUrl`, which needs the store with its definitions. */
export function publicUrlOf(database: Database): string | undefined {
  const [value] = database.get(`SELECT value FROM documents WHERE collection = 'server' AND key = 'public-url'`) ?? [];
  return typeof value === 'string' ? String(JSON.parse(value)) : undefined;
}
