import { userId } from '../smart/accounts/account-rules.ts';
import { userCollection } from '../smart/accounts/registry.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { audited } from './audited.ts';
import { accountsOf, requireNotInFile, unknownAccount } from './accounts.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Removes a user, ends all sessions and revokes all tokens. */
export const command = defineCommand({
  positionals: 'ID',
  details: 'The tokens are invalid within ten seconds in every process.',
  takes: [...storeSettings, 'accounts'],
  async run({ config, positionals }) {
    const id = onePositional(positionals, 'ID', userId);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.users, id, config.accounts);
      if ((await registry.user(id)) === undefined) throw unknownAccount('user', id, await registry.users());
      const about = { command: 'user remove', kind: 'security', action: 'D', details: { user: id } } as const;
      await audited(opened, about, async () => {
        await store.documents(userCollection).delete(id);
        await revoke(store.documents(revocationCollection), 'user', id, Date.now());
      });
      console.log(`The user \`${id}\` is removed and signed out everywhere.`);
      return exitCodes.done;
    });
  },
});
