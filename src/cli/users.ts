import { userId, userProblems } from '../smart/accounts/account-rules.ts';
import { userCollection } from '../smart/accounts/registry.ts';
import type { StoredUser } from '../smart/accounts/registry.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { hashPassword } from '../smart/accounts/password.ts';
import { toggle } from '../config/flag.ts';
import type { Flag } from '../config/flag.ts';
import { ConfigError } from '../config/read.ts';
import type { RegisteredUser } from '../smart/accounts/registered.ts';
import { audited } from './audited.ts';
import { accountList, accountsOf, forFileFlag, jsonFlag, requireNotInFile, unknownAccount } from './accounts.ts';
import { CommandError, defineCommand, onePositional, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { passwordFlags, passwordFor } from './new-password.ts';
import { personOf, requireKnown, userFlags, warnOfNobody } from './user-flags.ts';

/** Registers a user who signs in; the password is stored as an argon2id hash. */
export const userAdd = defineCommand({
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
        return;
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

/** A table of the users, or JSON with all of their properties except the digests of their passwords. */
export const userList = accountList({
  of: 'users',
  read: registry => registry.users(),
  columns: {
    NAME: ({ name }) => name,
    PARTITIONS: ({ partitions }) =>
      partitions.map(({ id, fhirUser }) => (fhirUser === undefined ? id : `${id} (${fhirUser})`)).join(', '),
  },
  json: ({ name, partitions }) => ({ name, partitions }),
});

const flags = [
  ...userFlags,
  toggle('no-fhir-user', 'No resource represents the user'),
  jsonFlag,
] as const satisfies readonly Flag[];

/** Changes the named properties of a user, and ends sessions and tokens if partitions or resources change. */
export const userUpdate = defineCommand({
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
    });
  },
});

/** Sets another password for a user, and ends all sessions. */
export const userRotate = defineCommand({
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
    });
  },
});

/** Removes a user, ends all sessions and revokes all tokens. */
export const userRemove = defineCommand({
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
    });
  },
});
