import type { Accounts } from '../smart/accounts/accounts-file.ts';
import { createRegistry } from '../smart/accounts/registry.ts';
import type { Registry } from '../smart/accounts/registered.ts';
import { readAccountsAt } from '../smart/accounts/accounts.ts';
import type { Config } from '../config/read.ts';
import { toggle } from '../config/flag.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { CommandError, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import type { Opened } from './open.ts';
import { table } from './print.ts';

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
export const jsonFlag = toggle('json', 'Print JSON, for programs');

/** Prints the entry for the accounts file, and stores nothing. */
export const forFileFlag = toggle('for-file', 'Print the entry for the file that `accounts` names, and store nothing');

/** One list from repeatable flags with comma-separated values. */
export const listed = (read: (text: string) => string) => (text: string) =>
  text.split(',').map(item => read(item.trim()));

/** The list of clients or of users. */
interface AccountList<Registered> {
  /** The list, in the registry and in the file of accounts. */
  readonly of: 'clients' | 'users';
  /** Returns all accounts of the registry. */
  readonly read: (registry: Registry) => Promise<readonly Registered[]>;
  /** The cells of the table between the first, ID, and the last two, REGISTERED and FROM, by their headings. */
  readonly columns: Readonly<Record<string, (account: Omit<Registered, 'registered'>) => string>>;
  /** The properties of `--json` between the id and the last two, `registered` and `from`. */
  readonly json: (account: Omit<Registered, 'registered'>) => object;
}

/** A command that lists accounts as a table, or as JSON without the digests of their secrets and passwords. */
export function accountList<Registered extends { readonly id: string; readonly registered: number }>({
  of,
  read,
  columns,
  json,
}: AccountList<Registered>): Command {
  return {
    details: 'With the setting `accounts`, those of its file are listed too.',
    takes: [...storeSettings, 'accounts'],
    own: [jsonFlag],
    async run({ config, own }) {
      return withStore(config, 'read', async opened => {
        const { registry, inFile } = await accountsOf(config, opened);
        const accounts = (await read(registry)).map(({ registered, ...account }) => ({
          account,
          registered: new Date(registered).toISOString(),
          from: inFile[of].some(({ id }) => id === account.id) ? 'file' : 'store',
        }));
        if (own.json === true) {
          const shown = accounts.map(({ account, ...more }) => ({ id: account.id, ...json(account), ...more }));
          console.log(JSON.stringify(shown, null, 2));
          return;
        }
        const rows = accounts.map(({ account, registered, from }) => [
          account.id,
          ...Object.values(columns).map(cell => cell(account)),
          registered.slice(0, 10),
          from,
        ]);
        console.log(table(['ID', ...Object.keys(columns), 'REGISTERED', 'FROM'], rows));
      });
    },
  };
}
