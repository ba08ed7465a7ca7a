import type { Accounts } from '../smart/accounts/accounts-file.ts';
import { createRegistry } from '../smart/accounts/registry.ts';
import type { Registry } from '../smart/accounts/registered.ts';
import { readAccountsAt } from '../smart/accounts/accounts.ts';
import type { Config } from '../config/read.ts';
import type { Flag } from '../config/flag.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { CommandError } from './command.ts';
import type { Opened } from './open.ts';

/** Clients and users as a server with these settings has them, and those of its file. */
export async function accountsOf(
  config: Config,
  { store, model }: Pick<Opened, 'store' | 'model'>,
): Promise<{ readonly registry: Registry; readonly inFile: Accounts }> {
  const { accounts: path } = config;
  const inFile = path === undefined ? { clients: [], users: [] } : await readAccountsAt(path, store, model);
  return { registry: createRegistry(store, { current: () => inFile }, Date.now), inFile };
}

/** Throws CommandError if the account is in the file, which commands do not change. */
export function requireNotInFile(of: readonly { readonly id: string }[], id: string, path: string | undefined): void {
  if (of.some(one => one.id === id)) throw new CommandError(`\`${id}\` is defined in ${path}: change it there.`);
}

/** The error of an unknown client or user. */
export function unknownAccount(
  what: 'client' | 'user',
  id: string,
  known: readonly { readonly id: string }[],
): CommandError {
  const ids = known.map(one => one.id);
  return new CommandError(`There is no ${what} \`${id}\`.${didYouMean(id, ids)} \`${what} list\` lists all.`);
}

/** Prints the output of a command as JSON. */
export const jsonFlag = {
  flag: 'json',
  value: undefined,
  read: () => true,
  meaning: 'Print JSON, for programs',
} as const satisfies Flag;

/** Prints the entry for the accounts file, and stores nothing. */
export const forFileFlag = {
  flag: 'for-file',
  value: undefined,
  read: () => true,
  meaning: 'Print the entry for the file that `accounts` names, and store nothing',
} as const satisfies Flag;

/** One list from repeatable flags with comma-separated values. */
export const listed = (read: (text: string) => string) => (text: string) =>
  text.split(',').map(item => read(item.trim()));
