import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Store, StoreOptions } from './store.ts';
import { StoreRefused } from './errors.ts';
import { hideCredentials, parseStoreUrl, type StoreUrl } from './url.ts';

/**
 * Opens the store that a URL names: `sqlite:./data/records.sqlite`, `mongodb://localhost:27017/records`. Throws `StoreRefused`
 * with what to do about it, and `StoreUnavailable` where its server does not answer.
 */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  const parsed = parsedUrl(url);
  // What is not used is not loaded: the driver of MongoDB takes 170 ms.
  if (parsed.kind === 'mongodb') return (await import('./mongo/store.ts')).openMongoStore(url, options);
  return (await import('./sqlite/store.ts')).openSqliteStore(parsed.file, options);
}

/** Throws `StoreRefused` where the store that a URL names is not there yet, and as `openStore` does. */
export async function requireStore(url: string): Promise<void> {
  const parsed = parsedUrl(url);
  if (parsed.kind === 'mongodb') return (await import('./mongo/store.ts')).requireMongoStore(url);
  const path = resolve(parsed.file);
  if (!existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
}

/** Throws `StoreRefused` where another server has the store for itself, as `openStore` does in the mode `serve`, but in no time. */
export async function refuseServed(url: string): Promise<void> {
  const parsed = parsedUrl(url);
  if (parsed.kind === 'sqlite') (await import('./sqlite/lock.ts')).refuseServed(resolve(parsed.file));
}

function parsedUrl(url: string): StoreUrl {
  const parsed = parseStoreUrl(url);
  if (parsed === undefined)
    throw new StoreRefused(
      `\`${hideCredentials(url)}\` is no store; write \`sqlite:\` and the path of a file, or \`mongodb://HOST:PORT/DATABASE\``,
    );
  return parsed;
}
