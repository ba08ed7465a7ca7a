import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Store, type StoreOptions, StoreRefused } from './store.ts';

/** Opens the store that a URL names: `sqlite:./data/records.sqlite`. Throws `StoreRefused` with what to do about it. */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  const file = fileOf(url);
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(file, options);
}

/** Throws `StoreRefused` where the store that a URL names is not there yet. */
export function requireStore(url: string): void {
  const path = resolve(fileOf(url));
  if (!existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
}

function fileOf(url: string): string {
  const { scheme, rest } = /^(?<scheme>[a-z]+):(?<rest>.+)$/.exec(url)?.groups ?? {};
  if (scheme !== 'sqlite' || rest === undefined)
    throw new StoreRefused(`\`${url}\` is no store; write \`sqlite:\` and the path of a file`);
  return rest;
}
