import { readFileSync, statSync } from 'node:fs';
import type { Accounts } from '../smart/accounts-file.ts';
import type { Model } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { readAccounts } from './accounts.ts';

/**
 * The current content of the accounts file, checked against definitions and partitions. Throws Error with all problems.
 */
export async function readAccountsAt(path: string, store: Pick<Store, 'partitions'>, model: Model): Promise<Accounts> {
  const readFile = (name: string): string => readFileSync(name, 'utf8');
  const partitions = (await store.partitions.list()).map(one => one.id);
  return readAccounts(path, readFile(path), { model, partitions, readFile, registered: statSync(path).mtimeMs });
}
