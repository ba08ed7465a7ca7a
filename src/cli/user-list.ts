import { accountsOf, jsonFlag } from './accounts.ts';
import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { table } from './table.ts';

/** A table of the users, or JSON with all that is registered of them but what their passwords are kept as. */
export const command: Command = {
  details: 'Those of the file that `accounts` names are among them where the setting is given here too.',
  takes: [...storeSettings, 'accounts'],
  own: [jsonFlag],
  async run({ config, own, positionals }) {
    noPositionals(positionals);
    return withStore(config, 'read', async opened => {
      const { registry, inFile } = await accountsOf(config, opened);
      const isInFile = (id: string): boolean => inFile.users.some(user => user.id === id);
      const users = await registry.users();
      if (own['json'] === true) {
        const shown = users.map(({ id, name, partitions, registered }) => ({
          id,
          name,
          partitions,
          registered: new Date(registered).toISOString(),
          from: isInFile(id) ? 'file' : 'store',
        }));
        console.log(JSON.stringify(shown, null, 2));
        return exitCodes.done;
      }
      const rows = users.map(({ id, name, partitions, registered }) => [
        id,
        name,
        partitions.map(({ id, fhirUser }) => (fhirUser === undefined ? id : `${id} (${fhirUser})`)).join(', '),
        new Date(registered).toISOString().slice(0, 10),
        isInFile(id) ? 'file' : 'store',
      ]);
      console.log(table(['ID', 'NAME', 'PARTITIONS', 'REGISTERED', 'FROM'], rows));
      return exitCodes.done;
    });
  },
};
