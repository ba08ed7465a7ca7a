import { clientId } from '../smart/accounts/account-rules.ts';
import { clientCollection } from '../smart/accounts/registry.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { audited } from './audited.ts';
import { accountsOf, requireNotInFile, unknownAccount } from './accounts.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Removes a client and revokes its tokens. */
export const command = defineCommand({
  positionals: 'ID',
  details: 'Its tokens end within ten seconds in every process.',
  takes: [...storeSettings, 'accounts'],
  async run({ config, positionals }) {
    const id = onePositional(positionals, 'ID', clientId);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.clients, id, config.accounts);
      if ((await registry.client(id)) === undefined) throw unknownAccount('client', id, await registry.clients());
      const about = {
        command: 'client remove',
        kind: 'security',
        action: 'D',
        client: id,
        details: { client: id },
      } as const;
      await audited(opened, about, async () => {
        await store.documents(clientCollection).delete(id);
        await revoke(store.documents(revocationCollection), 'client', id, Date.now());
      });
      console.log(`The client \`${id}\` is removed, and its tokens are revoked.`);
      return exitCodes.done;
    });
  },
});
