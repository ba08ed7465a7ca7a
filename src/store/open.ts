import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LayoutState } from './layout.ts';
import { StoreRefused } from './port/errors.ts';
import type { Store, StoreOptions } from './port/store.ts';
import { hideCredentials, parseStoreUrl, type StoreUrl } from './url.ts';

/**
 * Opens the store at a URL: `sqlite:./data/records.sqlite`, `mongodb://localhost:27017/records`. Throws `StoreRefused`
 * with the remedy, and `StoreUnavailable` if its server does not answer.
 */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  const parsed = parsedUrl(url);
  // Loaded only if it is used: the MongoDB driver takes 170 ms.
  if (parsed.kind === 'mongodb') return (await import('./mongo/store.ts')).openMongoStore(url, options);
  return (await import('./sqlite/store.ts')).openSqliteStore(parsed.file, options);
}

/** Throws `StoreRefused` if the store at a URL does not exist yet, and like `openStore`. */
export async function requireStore(url: string): Promise<void> {
  const parsed = parsedUrl(url);
  if (parsed.kind === 'mongodb') return (await import('./mongo/store.ts')).requireMongoStore(url);
  const path = resolve(parsed.file);
  if (!existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
}

/**
 * Throws `StoreRefused` if another server has locked the store, like `openStore` in the mode `serve`, but without a
 * delay.
 */
export async function refuseServed(url: string): Promise<void> {
  const parsed = parsedUrl(url);
  if (parsed.kind === 'sqlite') (await import('./sqlite/lock.ts')).refuseServed(resolve(parsed.file));
}

/**
 * Reads the layout of the store at a URL without changing it. Throws `StoreRefused` if there is no store, for a layout
 * that this program does not know, and for other content.
 */
export async function readLayout(url: string): Promise<LayoutState> {
  const parsed = parsedUrl(url);
  if (parsed.kind === 'mongodb') return (await import('./mongo/prepare-database.ts')).readMongoLayout(url);
  return (await import('./sqlite/migrations.ts')).readSqliteLayout(parsed.file);
}

function parsedUrl(url: string): StoreUrl {
  const parsed = parseStoreUrl(url);
  if (parsed === undefined)
    throw new StoreRefused(
      `\`${hideCredentials(url)}\` is not the URL of a store; write \`sqlite:\` and the path of a ` +
        'file, or `mongodb://HOST:PORT/DATABASE`',
    );
  return parsed;
}
