import { userId } from '../smart/accounts/account-rules.ts';
import { hashPassword } from '../smart/accounts/password.ts';
import { userCollection } from '../smart/accounts/registry.ts';
import type { StoredUser } from '../smart/accounts/registry.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { audited } from './audited.ts';
import { accountsOf, jsonFlag, requireNotInFile, unknownAccount } from './accounts.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { passwordFlags, passwordFor } from './new-password.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Sets another password for a user, and ends all sessions. */
export const command = defineCommand({
  positionals: 'ID',
  takes: [...storeSettings, 'accounts'],
  own: [...passwordFlags, jsonFlag],
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', userId);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.users, id, config.accounts);
      const users = store.documents(userCollection);
      const kept = (await users.get(id)) as StoredUser | undefined; // only this program writes it
      if (kept === undefined) throw unknownAccount('user', id, await registry.users());
      const { password, isNew } = await passwordFor(kept, own);
      const next = { ...kept, password: await hashPassword(password) };
      const about = { command: 'user rotate', kind: 'security', action: 'U', details: { user: id } } as const;
      await audited(opened, about, async () => {
        await users.put(id, next);
        await revoke(store.documents(revocationCollection), 'user', id, Date.now());
      });
      if (own.json === true) console.log(JSON.stringify({ id, ...(isNew && { password }) }));
      else {
        console.log(`The user \`${id}\` has a new password and is signed out everywhere.`);
        if (isNew) console.log(`The password, shown this once: ${password}`);
      }
      return exitCodes.done;
    });
  },
});
