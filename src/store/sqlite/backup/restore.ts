import { dirname, join, resolve } from 'node:path';
import { checkAttachments, copyAttachments, type Places } from '../../backup/attachments.ts';
import { copyAudit, describeAudit } from '../../backup/copy-audit.ts';
import { databaseName, type Manifest, readManifest } from '../../backup/manifest.ts';
import { digestOfFile, Pace } from '../../backup/pace.ts';
import { placeBeside, placeDatabase, removeInterrupted, requireNone } from '../../backup/place.ts';
import type { BackupFinding, BackupStep, RestoreOptions, RestoreResult } from '../../backup/port.ts';
import { auditFiles } from '../../files/audit.ts';
import { copyPrivate, makeFolder } from '../../files/durable.ts';
import { restoringFolder } from '../../files/left-behind.ts';
import { requireKnownLayout } from '../../layout.ts';
import { StoreRefused } from '../../port/errors.ts';
import { isDiskFull } from '../failures.ts';
import { lockForServing } from '../lock.ts';
import { layouts } from '../migrations.ts';
import { type Database, openDatabase } from '../open.ts';
import { publicUrlOf } from './backup.ts';
import { checkDatabase, referencedBy } from './check-database.ts';

const unpaced = new Pace(Infinity);

/**
 * Restores the store in a file from a backup. All of it is copied into a folder beside it, `FILE.restoring`, and
 * verified there; then attachments and audit log get their names, and the file last: if it does not exist, nothing was
 * restored. Throws `StoreRefused` if any part of a store exists, for an incomplete backup, and for a layout that this
 * engine does not know.
 */
export async function restoreSqlite(file: string, options: RestoreOptions): Promise<RestoreResult> {
  const folder = resolve(options.folder);
  const path = resolve(file);
  const manifest = await readManifest(folder);
  requireKnownLayout(`\`${folder}\``, manifest.layout, layouts);
  makeFolder(dirname(path));
  const lock = lockForServing(path); // no server creates an empty store here meanwhile
  try {
    return await restore(join(folder, databaseName), path, manifest, options);
  } catch (error) {
    await removeInterrupted(path);
    if (!isDiskFull(error)) throw error;
    throw new StoreRefused(`The disk of \`${path}\` is full; nothing was restored. Free space, and run it again`);
  } finally {
    lock.release();
  }
}

async function restore(
  from: string,
  path: string,
  manifest: Manifest,
  { progress, audited }: RestoreOptions,
): Promise<RestoreResult> {
  const staging = restoringFolder(path);
  const staged = join(staging, databaseName);
  await removeInterrupted(path);
  requireNone(path);
  makeFolder(staging);
  await copyWholeDatabase(from, staged, manifest, progress);
  const database = openDatabase(staged, 'immutable');
  let findings: readonly BackupFinding[];
  let publicUrl: string | undefined;
  try {
    findings = await copyRest(database, { from, to: staged }, manifest, progress);
    publicUrl = publicUrlOf(database);
  } finally {
    database.close();
  }
  await placeBeside(staged, path);
  await audited({ chains: auditFiles(path), publicUrl, manifest }, () => placeDatabase(staged, path));
  return { manifest, findings };
}

async function copyWholeDatabase(
  from: string,
  to: string,
  { database: { size, digest } }: Manifest,
  progress: (step: BackupStep) => void,
): Promise<void> {
  await copyPrivate(from, to);
  const found = await digestOfFile(to, unpaced, done => progress({ part: 'database digest', done, of: size }));
  if (found === digest) return;
  throw new StoreRefused(
    `\`${from}\` is damaged: its SHA-256 is not that of the backup. Nothing was restored; use another backup`,
  );
}

/** Attachments and audit log; returns all damage. */
async function copyRest(
  database: Database,
  places: Places,
  manifest: Manifest,
  progress: (step: BackupStep) => void,
): Promise<readonly BackupFinding[]> {
  const report = (part: BackupStep['part']) => (done: number, of: number) => progress({ part, done, of });
  const referenced = referencedBy(database, places.to);
  await copyAttachments(referenced, places, unpaced, report('attachments'));
  const damage = await copyAudit(places, [], unpaced, report('audit'));
  const copied = new Map((await describeAudit(places.to, unpaced)).map(({ chain, digest }) => [chain, digest]));
  // Someone who can write to a backup can recompute all digests of a chain, except those in the manifest.
  const changed = manifest.audit
    .filter(({ chain, digest }) => copied.get(chain) !== digest)
    .filter(({ chain }) => !damage.some(one => one.in === 'audit' && one.chain === chain))
    .map(({ chain }) => {
      const is = copied.has(chain) ? ('altered' as const) : ('missing' as const);
      return { in: 'audit' as const, chain, line: undefined, is };
    });
  const inAttachments = await checkAttachments(referenced, unpaced, report('attachments check'));
  const inDatabase = await checkDatabase(database, places.to, unpaced, report('database check'));
  return [...inDatabase, ...inAttachments, ...damage, ...changed];
}
