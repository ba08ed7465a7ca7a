import { accountsOf, jsonFlag } from './accounts.ts';
import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { table } from './table.ts';

/** A table of the clients, or JSON with all that is registered of them but what their secrets are kept as. */
export const command: Command = {
  details: 'Those of the file that `accounts` names are among them where the setting is given here too.',
  takes: [...storeSettings, 'accounts'],
  own: [jsonFlag],
  async run({ config, own, positionals }) {
    noPositionals(positionals);
    return withStore(config, 'read', async opened => {
      const { registry, inFile } = await accountsOf(config, opened);
      const isInFile = (id: string): boolean => inFile.clients.some(client => client.id === id);
      const clients = await registry.clients();
      if (own['json'] === true) {
        const shown = clients.map(({ secretDigests, registered, ...client }) => ({
          ...client,
          secrets: secretDigests.length,
          registered: new Date(registered).toISOString(),
          from: isInFile(client.id) ? 'file' : 'store',
        }));
        console.log(JSON.stringify(shown, null, 2));
        return exitCodes.done;
      }
      const rows = clients.map(({ id, name, kind, flows, partitions, secretDigests, registered }) => [
        id,
        name,
        kind,
        flows.join(', '),
        partitions.join(', '),
        kind === 'symmetric' ? String(secretDigests.length) : '',
        new Date(registered).toISOString().slice(0, 10),
        isInFile(id) ? 'file' : 'store',
      ]);
      console.log(table(['ID', 'NAME', 'KIND', 'FLOWS', 'PARTITIONS', 'SECRETS', 'REGISTERED', 'FROM'], rows));
      return exitCodes.done;
    });
  },
};
