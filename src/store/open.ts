import { type Store, type StoreOptions, StoreRefused } from './store.ts';

/** Opens the store that a URL names: `sqlite:./data/records.sqlite`. Throws `StoreRefused` with what to do about it. */
export async function openStore(url: string, options: StoreOptions): Promise<Store> {
  const { scheme, rest } = /^(?<scheme>[a-z]+):(?<rest>.+)$/.exec(url)?.groups ?? {};
  if (scheme !== 'sqlite' || rest === undefined)
    throw new StoreRefused(`\`${url}\` is no store; write \`sqlite:\` and the path of a file`);
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(rest, options);
}
