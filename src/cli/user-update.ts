import type { Flag } from '../config/flag.ts';
import { userId, userProblems } from '../smart/accounts/account-rules.ts';
import { userCollection } from '../smart/accounts/registry.ts';
import type { StoredUser } from '../smart/accounts/registry.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { ConfigError } from '../config/read.ts';
import { audited } from './audited.ts';
import { accountsOf, jsonFlag, requireNotInFile, unknownAccount } from './accounts.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';
import { personOf, requireKnown, userFlags, warnOfNobody } from './user-flags.ts';

const flags = [
  ...userFlags,
  { flag: 'no-fhir-user', value: undefined, read: () => true, meaning: 'No resource represents the user' },
  jsonFlag,
] as const satisfies readonly Flag[];

/** Changes the named properties of a user, and ends sessions and tokens if partitions or resources change. */
export const command = defineCommand({
  positionals: 'ID',
  details: `What no flag names stays. --partitions replaces the former ones: name all. With other partitions or another
--fhir-user all sessions and tokens of the user end within ten seconds in every process. \`user rotate\` sets
another password.

  npm run -s cli -- user update ann --partitions clinic,ward --fhir-user ward=TYPE/a-2`,
  takes: [...storeSettings, 'accounts'],
  own: flags,
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', userId);
    const { name, partitions, 'fhir-user': people, 'no-fhir-user': isNobody = false } = own;
    if (name === undefined && partitions.length === 0 && people.length === 0 && !isNobody)
      throw new ConfigError(['No flag names what to change; `user update --help` lists them.']);
    if (people.length > 0 && isNobody)
      throw new ConfigError(['`--fhir-user` and `--no-fhir-user` exclude each other.']);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.users, id, config.accounts);
      const users = store.documents(userCollection);
      const kept = (await users.get(id)) as StoredUser | undefined; // only this program writes it
      if (kept === undefined) throw unknownAccount('user', id, await registry.users());
      const ids = partitions.length > 0 ? partitions : kept.partitions.map(one => one.id);
      requireKnown(people, ids);
      const personIn = (partition: string): string | undefined =>
        isNobody
          ? undefined
          : (personOf(people, partition) ?? kept.partitions.find(one => one.id === partition)?.fhirUser);
      const next: StoredUser = {
        ...kept,
        name: name ?? kept.name,
        partitions: ids.map(partition => ({ id: partition, fhirUser: personIn(partition) })),
      };
      const problems = userProblems(
        next,
        (await store.partitions.list()).map(one => one.id),
      );
      if (problems.length > 0) throw new ConfigError(problems.map(text => `The user \`${id}\` ${text}`));
      const isOther = JSON.stringify(next.partitions) !== JSON.stringify(kept.partitions);
      if (isOther) for (const one of next.partitions) await warnOfNobody(opened, one);
      const about = { command: 'user update', kind: 'security', action: 'U', details: { user: id } } as const;
      await audited(opened, about, async () => {
        await users.put(id, next);
        if (isOther) await revoke(store.documents(revocationCollection), 'user', id, Date.now());
      });
      if (own.json === true) console.log(JSON.stringify({ id }));
      else console.log(`The user \`${id}\` is changed${isOther ? ' and signed out everywhere' : ''}.`);
      return exitCodes.done;
    });
  },
});
