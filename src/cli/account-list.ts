import type { Registry } from '../smart/accounts/registered.ts';
import { accountsOf, jsonFlag } from './accounts.ts';
import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { table } from './table.ts';

/** The list of clients or of users. */
export interface AccountList<Registered> {
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
    async run({ config, own, positionals }) {
      noPositionals(positionals);
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
          return exitCodes.done;
        }
        const rows = accounts.map(({ account, registered, from }) => [
          account.id,
          ...Object.values(columns).map(cell => cell(account)),
          registered.slice(0, 10),
          from,
        ]);
        console.log(table(['ID', ...Object.keys(columns), 'REGISTERED', 'FROM'], rows));
        return exitCodes.done;
      });
    },
  };
}
