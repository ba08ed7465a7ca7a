import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BackupSource } from '../../backup/port.ts';
import { StoreRefused } from '../../port/errors.ts';
import { auditFiles } from '../../files/audit.ts';
import { requireLayout } from '../migrations.ts';
import { type Database, openDatabase } from '../open.ts';
import { openingError } from '../sqlite-error.ts';
import { backup } from './backup.ts';

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
