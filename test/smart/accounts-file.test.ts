import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openAccountsFile } from '../../src/smart/accounts/accounts-file.ts';
import type { AccountsFile } from '../../src/smart/accounts/accounts-file.ts';
import { clientCollection, createRegistry, userCollection } from '../../src/smart/accounts/registry.ts';
import type { StoredClient } from '../../src/smart/accounts/registry.ts';
import { isRevoked, revocationCollection } from '../../src/auth/token/revocations.ts';
import { readAccountsAt } from '../../src/smart/accounts/accounts.ts';
import { twoStores } from '../support/two-stores.ts';
import type { TwoStores } from '../support/two-stores.ts';

let two: TwoStores;
let folder: string;
let path: string;
beforeAll(async () => {
  two = await twoStores();
  folder = mkdtempSync(join(tmpdir(), 'accounts-'));
});
afterAll(async () => {
  await two.close();
  rmSync(folder, { recursive: true });
});
let files = 0;
beforeEach(() => {
  path = join(folder, `accounts-${files++}.json`);
  two.clock.now += 1_000_000;
});

const hashes = ['A', 'B'].map(letter => `$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$${letter.repeat(42)}A`);
const app = (id: string, more: object = {}) => ({
  id,
  kind: 'public',
  'redirect-uris': `https://${id}.example/back`,
  scopes: 'openid',
  partitions: 'clinic',
  ...more,
});
const person = (id: string, password = hashes[0]) => ({ id, password, partitions: 'clinic' });
const write = (clients: object[], users: object[] = []): void =>
  writeFileSync(path, JSON.stringify({ clients, users }));

async function open(interval = 60_000): Promise<{ file: AccountsFile; notices: string[]; errors: string[] }> {
  const notices: string[] = [];
  const errors: string[] = [];
  const [store] = two.stores;
  const file = await openAccountsFile({
    store,
    path,
    read: () => readAccountsAt(path, store, two.model),
    now: () => two.clock.now,
    notice: text => notices.push(text),
    refused: text => errors.push(text),
    interval,
  });
  onTestFinished(() => file.close());
  return { file, notices, errors };
}

const ids = (of: readonly { readonly id: string }[]): string[] => of.map(({ id }) => id);

describe('the file of accounts', () => {
  it('is reloaded on request; an invalid file changes nothing', async () => {
    write([app('one')]);
    const { file, notices, errors } = await open();
    write([app('one'), app('two')], [person('ann')]);
    await file.reload();
    expect([ids(file.current().clients), ids(file.current().users)]).toEqual([['one', 'two'], ['ann']]);
    expect(notices).toEqual([`The accounts in ${path} were reloaded: 2 clients, 1 user.`]);

    write([app('one', { partitions: 'nowhere' }), { id: 'three' }]);
    await file.reload();
    expect(ids(file.current().clients)).toEqual(['one', 'two']);
    // An error, which `--log error` shows.
    expect(notices).toHaveLength(1);
    expect(errors[0]).toContain(
      `The accounts in ${path} could not be reloaded; the former ones stay valid (2 clients: one, two; 1 user: ann): `,
    );
    expect(errors[0]).toContain('`clients[0]` in ');
    expect(errors[0]).toContain('`clients[1].kind` in ');

    write([app('three')]);
    await file.reload();
    expect(ids(file.current().clients)).toEqual(['three']);
  });

  it('is reloaded automatically when it changes, also when another file replaces it', async () => {
    write([app('one')]);
    const { file, notices } = await open(20);
    const next = join(folder, 'next.json');
    const replace = (): string => {
      writeFileSync(next, JSON.stringify({ clients: [app('changed')] }));
      renameSync(next, path);
      return notices.at(-1) ?? '';
    };
    // What comes before the file was first looked at is no change.
    await expect.poll(replace, { interval: 500, timeout: 20_000 }).toContain('were reloaded');
    expect(ids(file.current().clients)).toEqual(['changed']);
  });

  it('is refused at the start where it is broken', async () => {
    write([{ id: 'one' }]);
    await expect(open()).rejects.toThrow('`clients[0].kind` in ');
  });

  it('revokes the tokens of removed users and of users with a new password, also between requests', async () => {
    const revoked = (of: Parameters<typeof isRevoked>[1]): Promise<boolean> =>
      isRevoked(two.stores[1].documents(revocationCollection), of, two.clock.now);
    write([app('stays'), app('goes')], [person('stays'), person('goes'), person('changes')]);
    const { file } = await open();
    two.clock.now += 1000;
    write([app('stays')], [person('stays'), person('changes', hashes[1])]);
    file.close();
    await open();
    expect(await Promise.all([{ client: 'stays' }, { client: 'goes' }].map(revoked))).toEqual([false, true]);
    const users = ['stays', 'goes', 'changes'].map(user => ({ user }));
    expect(await Promise.all(users.map(revoked))).toEqual([false, true, true]);
    two.clock.now += 1000;
    await open();
    expect(await revoked({ client: 'goes' })).toBe(false); // who comes back may have tokens again
  });
});

describe('what was issued', () => {
  const revoked = (of: Parameters<typeof isRevoked>[1]): Promise<boolean> =>
    isRevoked(two.stores[1].documents(revocationCollection), of, two.clock.now);

  it.each<[title: string, of: object, before: [object[], object[]?], after: [object[], object[]?], isOver: boolean]>([
    ['a client that lost a scope', { client: 'a' }, [[app('a', { scopes: 'openid fhirUser' })]], [[app('a')]], true],
    ['a client that got one more', { client: 'b' }, [[app('b')]], [[app('b', { scopes: 'openid fhirUser' })]], false],
    ['a client with another address', { client: 'c' }, [[app('c')]], [[app('c', { name: 'C' })]], false],
    [
      'a user who is another person there',
      { user: 'd' },
      [[], [{ ...person('d'), 'fhir-user': { clinic: 'Practitioner/d' } }]],
      [[], [{ ...person('d'), 'fhir-user': { clinic: 'Patient/d' } }]],
      true,
    ],
    ['a user with another name', { user: 'e' }, [[], [person('e')]], [[], [{ ...person('e'), name: 'E' }]], false],
  ])('to %s', async (_, of, before, after, isOver) => {
    write(...before);
    const { file } = await open();
    two.clock.now += 1000;
    write(...after);
    await file.reload();
    expect(await revoked(of)).toBe(isOver);
  });

  it('by a process that reads the file later than another one ends as well', async () => {
    write([app('leaves')], [person('leaves')]);
    const [first, second] = [await open(), await open()];
    write([]);
    await first.file.reload();
    two.clock.now += 1000; // the second one has issued something meanwhile
    expect(await revoked({ client: 'leaves' })).toBe(false);
    await second.file.reload();
    expect(await Promise.all([{ client: 'leaves' }, { user: 'leaves' }].map(revoked))).toEqual([true, true]);
  });
});

describe('the registry', () => {
  const kept: StoredClient = {
    id: 'kept',
    name: 'Kept',
    kind: 'symmetric',
    flows: ['app'],
    redirectUris: ['https://kept.example:8443/back', 'com.example.kept:/back'],
    launchUrls: [],
    origins: ['https://pages.example'],
    scopes: ['openid'],
    partitions: ['clinic'],
    secrets: [{ digest: 'first', until: 5_000 }, { digest: 'second' }],
    jwks: undefined,
    jwksUrl: undefined,
    registered: 0,
  };
  const bob = { id: 'bob', name: 'Bob', password: hashes[0], partitions: [{ id: 'clinic' }], registered: 0 };

  it('has clients and users of store and file, the file first', async () => {
    await two.stores[0].documents(clientCollection).put('kept', kept);
    await two.stores[0].documents(clientCollection).put('both', { ...kept, id: 'both', name: 'of the store' });
    await two.stores[0].documents(userCollection).put('bob', bob);
    write([app('both', { name: 'of the file' }), app('listed')], [person('ann')]);
    const { file } = await open();
    const registry = createRegistry(two.stores[1], file, () => 6_000);
    expect(ids(await registry.clients())).toEqual(['both', 'kept', 'listed']);
    expect(ids(await registry.users())).toEqual(['ann', 'bob']);
    expect((await registry.client('both'))?.name).toBe('of the file');
    expect(await registry.user('bob')).toEqual(bob);
    expect((await registry.user('ann'))?.id).toBe('ann');
    expect([await registry.client('none'), await registry.user('none')]).toEqual([undefined, undefined]);
    const { secrets: _, ...rest } = kept;
    expect(await registry.client('kept')).toEqual({ ...JSON.parse(JSON.stringify(rest)), secretDigests: ['second'] });
    const before = createRegistry(two.stores[1], undefined, () => 4_999);
    expect((await before.client('kept'))?.secretDigests).toEqual(['first', 'second']);
    expect(await registry.origins()).toEqual(
      new Set(['https://kept.example:8443', 'https://pages.example', 'https://both.example', 'https://listed.example']),
    );
  });

  it('sees what another process changes: clients and users at once, origins within ten seconds', async () => {
    let time = 0;
    const registry = createRegistry(two.stores[0], undefined, () => time);
    await registry.origins();
    const more = { ...kept, id: 'more', origins: ['https://more.example'] };
    await two.stores[1].documents(clientCollection).put('more', more);
    expect((await registry.client('more'))?.id).toBe('more');
    time = 10_000;
    expect(await registry.origins()).toContain('https://more.example');
    await two.stores[1].documents(clientCollection).delete('more');
    expect(await registry.client('more')).toBeUndefined();
  });
});
