import { statSync } from 'node:fs';
import type { Accounts } from './accounts-file.ts';
import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';
import { readAccounts } from './accounts.ts';
import { readNamedText, readSetting } from '../../config/named-file.ts';

/**
 * The current content of the accounts file, checked against definitions and partitions. Throws Error with all problems.
 */
export async function readAccountsAt(path: string, store: Pick<Store, 'partitions'>, model: Model): Promise<Accounts> {
  const text = readSetting('accounts', path).toString('utf8');
  const partitions = (await store.partitions.list()).map(one => one.id);
  return readAccounts(path, text, { model, partitions, readFile: readNamedText, registered: statSync(path).mtimeMs });
}
