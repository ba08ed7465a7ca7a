import { userId } from '../smart/account-rules.ts';
import { userCollection } from '../smart/registry.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { accounted } from './accounted.ts';
import { accountsOf, requireNotInFile, unknownAccount } from './accounts.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Removes a user, who is signed out everywhere; whatever was issued for the user is good no more. */
export const command = defineCommand({
  positionals: 'ID',
  details: 'The tokens end within ten seconds in every process.',
  takes: [...storeSettings, 'accounts'],
  async run({ config, positionals }) {
    const id = onePositional(positionals, 'ID', userId);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.users, id, config.accounts);
      if ((await registry.user(id)) === undefined) throw unknownAccount('user', id, await registry.users());
      const about = { command: 'user remove', kind: 'security', action: 'D', details: { user: id } } as const;
      await accounted(opened, about, async () => {
        await store.documents(userCollection).delete(id);
        await revoke(store.documents(revocationCollection), 'user', id, Date.now());
      });
      console.log(`The user \`${id}\` is removed and signed out everywhere.`);
      return exitCodes.done;
    });
  },
});
