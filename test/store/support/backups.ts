import { readdirSync, statSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openBackupSource, restoreStore } from '../../../src/store/backup/open.ts';
import type { BackupOptions, BackupResult, RestoreOptions, RestoreResult } from '../../../src/store/backup/port.ts';
import { fillStore } from '../../support/filled-store.ts';
import { appendEvents, auditOf } from '../../support/audit-of.ts';

/** A filled store in a folder of its own, which is for backups of it too. */
export interface Filled {
  readonly folder: string;
  readonly file: string;
  readonly url: string;
  /** A path in the folder. */
  at(name: string): string;
  backUp(name: string, more?: Partial<BackupOptions>): Promise<BackupResult>;
  /** Restores a backup into `NAME.sqlite`. */
  restore(name: string, to?: string, more?: Partial<RestoreOptions>): Promise<RestoreResult>;
  /** Copies one of them into another folder. */
  copyTo(folder: string, name: string): Promise<void>;
  /** Changes a database as no store would. */
  change(file: string, sql: string): void;
  remove(): Promise<void>;
}

/**
 * A folder with a store that holds all that one may (filled-store.ts), and some audit events: to be copied by each
 * test.
 */
export async function template(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backup-of-'));
  await fillStore(`sqlite:${join(folder, 'records.sqlite')}`, 20);
  await events(join(folder, 'records.sqlite'), 'first', 'second');
  return folder;
}

export async function filled(from: string): Promise<Filled> {
  const folder = await mkdtemp(join(tmpdir(), 'backup-'));
  await cp(from, folder, { recursive: true });
  const at = (name: string): string => join(folder, name);
  const file = at('records.sqlite');
  return {
    folder,
    file,
    url: `sqlite:${file}`,
    at,
    async backUp(name, more) {
      const source = await openBackupSource(`sqlite:${file}`);
      try {
        return await source.backup({ folder: at(name), pace: Infinity, progress: () => {}, ...more });
      } finally {
        source.close();
      }
    },
    restore: (name, to = `sqlite:${at(`${name}.sqlite`)}`, more = {}) =>
      restoreStore(to, { folder: at(name), progress: () => {}, audited: (_, lastStep) => lastStep(), ...more }),
    copyTo: (to, name) => cp(at(name), join(to, name), { recursive: true }),
    change(path, sql) {
      const database = new DatabaseSync(path, { defensive: false });
      database.exec(sql);
      database.close();
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Appends events to a chain of their own beside a store. */
export async function events(file: string, ...texts: readonly string[]): Promise<void> {
  const source = await openBackupSource(`sqlite:${file}`);
  const about = { recorded: Date.now(), partition: undefined, client: undefined, patients: [] };
  await appendEvents(
    source,
    texts.map(text => ({ ...about, text: JSON.stringify({ text }) })),
  );
  source.close();
}

/** The texts of all events beside a store. */
export async function eventsOf(file: string): Promise<readonly string[]> {
  const source = await openBackupSource(`sqlite:${file}`);
  const texts: string[] = [];
  for await (const { text } of auditOf(source).list()) texts.push((JSON.parse(text) as { text: string }).text);
  source.close();
  return texts;
}

/** All files and folders below a folder, with their stat. */
export function below(
  folder: string,
): readonly { readonly name: string; readonly mode: number; readonly ino: number }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => ({ name, stats: statSync(join(folder, name)) }))
    .map(({ name, stats }) => ({ name, mode: stats.mode & 0o777, ino: stats.isFile() ? stats.ino : 0 }));
}
