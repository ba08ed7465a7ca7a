import { userId, userProblems } from '../smart/accounts/account-rules.ts';
import { hashPassword } from '../smart/accounts/password.ts';
import { userCollection } from '../smart/accounts/registry.ts';
import type { StoredUser } from '../smart/accounts/registry.ts';
import type { RegisteredUser } from '../smart/accounts/registered.ts';
import { ConfigError } from '../config/read.ts';
import { audited } from './audited.ts';
import { accountsOf, forFileFlag, jsonFlag, requireNotInFile } from './accounts.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { passwordFlags, passwordFor } from './new-password.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';
import { personOf, requireKnown, userFlags, warnOfNobody } from './user-flags.ts';

/** Registers a user who signs in; the password is stored as an argon2id hash. */
export const command = defineCommand({
  positionals: 'ID',
  details: `ID is the name that is typed to sign in. The password is typed, read from stdin, or generated; it has 12
to 256 characters. A user whose --fhir-user is of a type of clinicians (\`clinician\` in the capability files)
is a clinician; one whose --fhir-user is a patient is that patient.

  npm run -s cli -- user add ann --name 'Dr. Ann Roy' --partitions clinic --fhir-user TYPE/ann-roy`,
  takes: [...storeSettings, 'accounts'],
  own: [...userFlags, ...passwordFlags, forFileFlag, jsonFlag],
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', userId);
    const name = own.name ?? id;
    const partitions = own.partitions;
    const people = own['fhir-user'];
    requireKnown(people, partitions);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const user: Omit<RegisteredUser, 'password'> = {
        id,
        name,
        partitions: partitions.map(partition => ({ id: partition, fhirUser: personOf(people, partition) })),
        registered: Date.now(),
      };
      const problems = userProblems(
        { ...user, password: '' },
        (await store.partitions.list()).map(one => one.id),
      );
      if (problems.length > 0) throw new ConfigError(problems.map(text => `The user \`${id}\` ${text}`));
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.users, id, config.accounts);
      if (own['for-file'] !== true && (await registry.user(id)) !== undefined) throw taken(id);
      for (const one of user.partitions) await warnOfNobody(opened, one);
      const { password, isNew } = await passwordFor(user, own);
      const hash = await hashPassword(password);
      if (own['for-file'] === true) {
        console.log(JSON.stringify(entryOf(user, hash), null, 2));
        if (isNew) console.error(`The password of \`${id}\`, shown this once: ${password}`);
        return exitCodes.done;
      }
      const kept: StoredUser = { ...user, password: hash };
      const about = { command: 'user add', kind: 'security', action: 'C', details: { user: id } } as const;
      await audited(opened, about, async () => {
        // only this program writes it
        const there = (await store.documents(userCollection).put(id, kept, { ifAbsent: true })) as StoredUser;
        if (there.password !== hash) throw taken(id);
      });
      if (own.json === true) console.log(JSON.stringify({ id, ...(isNew && { password }) }));
      else {
        console.log(`The user \`${id}\` may sign in for ${partitions.join(', ')}.`);
        if (isNew) console.log(`The password, shown this once: ${password}`);
      }
      return exitCodes.done;
    });
  },
});

const taken = (id: string): CommandError =>
  new CommandError(
    `The user \`${id}\` exists already; \`user update ${id}\` changes it, \`user rotate ${id}\` sets another password.`,
  );

/** The entry of the accounts file. */
function entryOf({ id, name, partitions }: Omit<RegisteredUser, 'password'>, password: string): object {
  const people = partitions.flatMap(({ id: partition, fhirUser }) =>
    fhirUser === undefined ? [] : [[partition, fhirUser]],
  );
  const entry = { id, name, password, partitions: partitions.map(partition => partition.id) };
  return people.length === 0 ? entry : { ...entry, 'fhir-user': Object.fromEntries(people) as unknown };
}
