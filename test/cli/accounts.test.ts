import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandError } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { ConfigError, readArguments } from '../../src/config/read.ts';
import { checkPassword } from '../../src/smart/accounts/password.ts';
import { findLaunch } from '../../src/smart/sign-in/launches.ts';
import { createRegistry } from '../../src/smart/accounts/registry.ts';
import { digestOf } from '../../src/auth/token/digest.ts';
import { isRevoked, revocationCollection } from '../../src/auth/token/revocations.ts';
import type { Store } from '../../src/store/port/store.ts';
import { open } from '../support/filled-store.ts';
import { inOneProcess } from './one-process.ts';
import { root } from './process.ts';
import type { Ended } from './process.ts';

const run = inOneProcess();
let folder: string;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accounts-'));
  url = `sqlite:${join(folder, 'records.sqlite')}`;
  await crs('partition add clinic');
  await crs('partition add ward');
  const people = (...ids: string[]): string =>
    ids.map(id => `{"resourceType":"Practitioner","id":"${id}","active":true}\n`).join('');
  await crs(
    'load --partition clinic -',
    `${people('ann', 'c', 'x')}{"resourceType":"Patient","id":"p0","active":true}\n`,
  );
  await crs('load --partition ward -', people('a-2'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command on the store; arguments are split at spaces, `_` is replaced by one. */
const crs = (line: string, input = ''): Promise<Ended> => run(wordsOf(line), { input, env: { CRS_STORE: url } });

const wordsOf = (line: string): string[] => line.split(' ').map(word => word.replaceAll('_', ' '));

/** What the command prints, where it works. */
async function out(line: string, input = ''): Promise<string> {
  const { code, stdout, stderr } = await crs(line, input);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Runs a command in this process, for errors before it does anything: the exit code and the output. */
async function refusal(line: string): Promise<readonly [number, string]> {
  const words = wordsOf(line);
  const entry = commands.find(({ name }) => name === words.slice(0, 2).join(' '));
  const command = await entry?.import();
  if (command === undefined) throw new Error(`There is no command ${line}`);
  const { own = [], takes } = command;
  try {
    return [(await command.run(readArguments(words.slice(2), { CRS_STORE: url }, { own, takes }))) ?? 0, ''];
  } catch (error) {
    if (error instanceof CommandError) return [error.exitCode, error.message];
    if (error instanceof ConfigError) return [2, error.message];
    throw error;
  }
}

async function inStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await open(url); // to read
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const client = (id: string) => inStore(store => createRegistry(store, undefined, Date.now).client(id));
const user = (id: string) => inStore(store => createRegistry(store, undefined, Date.now).user(id));
const events = async (): Promise<string[]> =>
  (await out('audit list')).split('\n').map(line => line.split('\t').slice(2, 4).join(' '));

const app = '--partitions clinic --redirect-uri https://app.example/back --scope openid_launch_patient/*.rs';

describe('client', () => {
  it('add registers an app, list shows it, remove ends its tokens, and all of it is audited', async () => {
    expect(await out(`client add growth --name Growth_chart --launch-url https://app.example/launch ${app}`)).toBe(
      'The client `growth` (public) is registered for clinic.\n',
    );
    expect(await client('growth')).toMatchObject({
      name: 'Growth chart',
      flows: ['app'],
      redirectUris: ['https://app.example/back'],
      launchUrls: ['https://app.example/launch'],
      scopes: ['openid', 'launch', 'patient/*.rs'],
      partitions: ['clinic'],
    });
    const lines = (await out('client list')).trim().split('\n');
    expect(lines[0]).toMatch(/^ID +NAME +KIND +FLOWS +PARTITIONS +REDIRECT URIS +SECRETS +REGISTERED +FROM$/);
    expect(lines[1]).toMatch(
      /^growth {2}Growth chart {2}public {2}app +clinic +https:\/\/app\.example\/back +- +\d{4}-\d\d-\d\d {2}store$/,
    );
    const before = Date.now();
    expect(await out('client remove growth')).toContain('is removed');
    expect(await client('growth')).toBeUndefined();
    const revocations = (store: Store) =>
      isRevoked(store.documents(revocationCollection), { client: 'growth' }, before);
    expect(await inStore(revocations)).toBe(true);
    const done = ['client-add begun', 'client-add 0', 'client-remove begun', 'client-remove 0'];
    expect((await events()).filter(event => event.startsWith('client-'))).toEqual(done);
  });

  it('add takes scopes with several spaces, and around them', async () => {
    await out(`client add spaced ${app.replace('openid_launch_', '_openid__launch___')}_`);
    expect((await client('spaced'))?.scopes).toEqual(['openid', 'launch', 'patient/*.rs']);
    await out('client remove spaced');
  });

  it('add makes a secret for a symmetric one, rotate a second one; the first dies in time or at once', async () => {
    const secretIn = (text: string): string => /: ([\w-]{43})\n$/.exec(text)?.[1] ?? '';
    const first = secretIn(await out(`client add server --kind symmetric ${app}`));
    expect((await client('server'))?.secretDigests).toEqual([digestOf(first)]);
    const rotated = await out('client rotate server --grace 3600');
    const second = secretIn(rotated);
    expect(rotated).toMatch(/The former secret of `server` is valid until \d{4}-/);
    expect((await client('server'))?.secretDigests).toEqual([digestOf(first), digestOf(second)]);
    const { secret: third } = JSON.parse(await out('client rotate server --at-once --json')) as { secret: string };
    expect((await client('server'))?.secretDigests).toEqual([digestOf(third)]);
    const bytes = await readFile(join(folder, 'records.sqlite'));
    for (const secret of [first, second, third]) expect(bytes.includes(secret)).toBe(false);
    const [listed] = JSON.parse(await out('client list --json')) as object[];
    expect(listed).toMatchObject({ id: 'server', kind: 'symmetric', secrets: 1, from: 'store' });
    expect(listed).not.toHaveProperty('secretDigests');
  });

  it('update changes what is named, keeps the rest, and ends tokens only of a client that loses rights', async () => {
    await out(`client add changing --origin https://a.example --launch-url https://app.example/launch ${app}`);
    const before = await client('changing');
    const since = Date.now();
    const isOut = (store: Store) => isRevoked(store.documents(revocationCollection), { client: 'changing' }, since);
    const wider =
      '--name Changing --redirect-uri https://b.example/x --redirect-uri http://127.0.0.1/x --partitions clinic,ward';
    expect(await out(`client update changing ${wider} --no-response-iss`)).toBe('The client `changing` is changed.\n');
    expect(await client('changing')).toEqual({
      ...before,
      name: 'Changing',
      redirectUris: ['https://b.example/x', 'http://127.0.0.1/x'],
      partitions: ['clinic', 'ward'],
      responseIss: false,
    });
    expect(await inStore(isOut)).toBe(false);
    expect(await out('client list')).toMatch(/^changing .* https:\/\/b\.example\/x, http:\/\/127\.0\.0\.1\/x /m);
    expect(await out('client update changing --partitions ward --no-origin --no-launch-url --response-iss')).toBe(
      'The client `changing` is changed, and its tokens are revoked.\n',
    );
    expect(await client('changing')).toMatchObject({ partitions: ['ward'], origins: [], launchUrls: [] });
    expect((await client('changing'))?.responseIss).toBe(true);
    expect(await inStore(isOut)).toBe(true);
    const { secret } = JSON.parse(await out('client update changing --kind symmetric --json')) as { secret: string };
    expect((await client('changing'))?.secretDigests).toEqual([digestOf(secret)]);
    await out('client update changing --name Again');
    expect((await client('changing'))?.secretDigests).toEqual([digestOf(secret)]);
    await out('client update changing --kind asymmetric --jwks-url https://lab.example/keys');
    expect(await client('changing')).toMatchObject({ jwksUrl: 'https://lab.example/keys', secretDigests: [] });
    await out('client update changing --kind public');
    expect((await client('changing'))?.jwksUrl).toBeUndefined();
    await out('client remove changing');
    const updates = (await events()).filter(event => event.startsWith('client-update'));
    expect(updates.slice(0, 2)).toEqual(['client-update begun', 'client-update 0']);
  });

  it('add takes the keys of an asymmetric one, rotate replaces them, and assertion signs', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const jwk = (key: typeof pair.publicKey) => ({ ...key.export({ format: 'jwk' }), kid: 'one' });
    const [publicFile, privateFile] = [join(folder, 'public.json'), join(folder, 'private.json')];
    await writeFile(publicFile, JSON.stringify({ keys: [jwk(pair.publicKey)] }));
    await writeFile(privateFile, JSON.stringify(jwk(pair.privateKey)));
    const added = `client add lab --flow backend --jwks ${publicFile} --partitions clinic,ward --scope system/*.rs`;
    expect(await out(added)).toBe('The client `lab` (asymmetric) is registered for clinic, ward.\n');
    expect((await client('lab'))?.jwks).toEqual({ keys: [jwk(pair.publicKey)] });
    const assertion = (await out(`client assertion lab --key ${privateFile}`)).trim();
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(header)).toEqual({ typ: 'JWT', alg: 'ES384', kid: 'one' });
    expect(read(claims)).toMatchObject({ iss: 'lab', sub: 'lab', aud: 'http://127.0.0.1:8080/auth/token' });
    const key = { key: pair.publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha384', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(await out('client rotate lab --jwks-url https://lab.example/keys')).toBe(
      'The keys of `lab` are replaced.\n',
    );
    expect(await client('lab')).toMatchObject({ jwksUrl: 'https://lab.example/keys' });
    expect((await client('lab'))?.jwks).toBeUndefined();
    const { code, stderr } = await crs(`client add leaky --flow backend --jwks ${privateFile} --partitions clinic`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must be a JSON Web Key Set')]);
  });

  it('add prints the entry for the file of accounts, which works there', async () => {
    const { code, stdout, stderr } = await crs(`client add listed --kind symmetric --for-file ${app}`);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^The secret of `listed`, shown this once: [\w-]{43}\n$/),
    ]);
    const entry = JSON.parse(stdout) as object;
    const person = await crs('user add listed --generate --for-file --partitions clinic --fhir-user Practitioner/x');
    const accounts = join(folder, 'accounts.json');
    await writeFile(accounts, JSON.stringify({ clients: [entry], users: [JSON.parse(person.stdout)] }));
    expect(await client('listed')).toBeUndefined();
    const list = JSON.parse(await out(`client list --json --accounts ${accounts}`)) as { id: string; from: string }[];
    expect(list.map(({ id, from }) => `${id} ${from}`)).toContain('listed file');
    expect(await out(`user list --accounts ${accounts}`)).toMatch(
      /^listed +listed +clinic \(Practitioner\/x\) .* file$/m,
    );
    for (const line of [
      `client add listed ${app}`,
      'client remove listed',
      'client rotate listed',
      'client update listed --name x',
      'user remove listed',
      'user update listed --name x',
    ]) {
      const refused = await crs(`${line} --accounts ${accounts}`);
      expect([refused.code, refused.stderr]).toEqual([1, `\`listed\` is defined in ${accounts}: change it there.\n`]);
    }
  });

  it.each([
    [`client add x ${app} --redirect-uri http://a.example/`, 2, '`--redirect-uri` is `http://a.example/`, but must be'],
    [
      `client add x ${app} --scope patient/Foo.rs --scope opneid`,
      2,
      '`--scope` holds `patient/Foo.rs`, which the capability files do not list, or list in ' +
        'part.\n`--scope` holds `opneid`, which does not exist on this server. Did you mean `openid`?',
    ],
    [
      `client add x ${app} --partitions clinik`,
      2,
      'The client `x` names the partition `clinik`, which does not exist; `partition add clinik` adds ' +
        'it. Did you mean `clinic`?',
    ],
    [
      'client add x',
      2,
      'The client `x` has no scope.\nThe client `x` names no partition.\nThe client `x` acts for users',
    ],
    [`client add server ${app}`, 1, 'The client `server` exists already'],
    ['client remove servr', 1, 'There is no client `servr`. Did you mean `server`? `client list` lists all.'],
    ['client rotate server --grace 1 --at-once', 2, '`--grace` and `--at-once` exclude each other.'],
    ['client update servr --name x', 1, 'There is no client `servr`. Did you mean `server`?'],
    ['client update server', 2, 'No flag names what to change'],
    ['client update server --nam x', 2, '`--nam` is not a flag of this command.'],
    ['client update server --partitions clinik', 2, 'names the partition `clinik`, which does not exist'],
    ['client update server --scope patient/*.sr', 2, 'The letters are in the order `cruds`: `patient/*.rs`.'],
    ['client update server --flow backend', 2, 'is a backend service'],
    ['client update server --no-redirect-uri', 2, 'needs a redirect URI'],
    ['client update server --origin https://a.example --no-origin', 2, 'exclude each other'],
    ['client rotate lab', 2, 'The client `lab` is asymmetric: set its new keys'],
    ['client assertion lab', 2, '`--key` is missing'],
  ])('%s is refused', async (line, exit, sentence) => {
    expect(await refusal(line)).toEqual([exit, expect.stringContaining(sentence)]);
  });
});

describe('user', () => {
  it('add takes a password from stdin, rotate makes one, list shows neither, remove signs out', async () => {
    const ward = '--partitions clinic --partitions ward --fhir-user Practitioner/ann --fhir-user ward=Practitioner/a-2';
    expect(await out(`user add ann --name Dr._Ann_Roy --password-stdin ${ward}`, 'correct horse battery\n')).toBe(
      'The user `ann` may sign in for clinic, ward.\n',
    );
    const ann = await user('ann');
    expect(ann).toMatchObject({
      name: 'Dr. Ann Roy',
      partitions: [
        { id: 'clinic', fhirUser: 'Practitioner/ann' },
        { id: 'ward', fhirUser: 'Practitioner/a-2' },
      ],
    });
    expect(await checkPassword('correct horse battery', ann?.password)).toBe(true);
    const before = Date.now();
    const rotated = await out('user rotate ann --generate');
    const password = /The password, shown this once: (\S+)\n$/.exec(rotated)?.[1] ?? '';
    expect(await checkPassword(password, (await user('ann'))?.password)).toBe(true);
    const isOut = (store: Store) => isRevoked(store.documents(revocationCollection), { user: 'ann' }, before);
    expect(await inStore(isOut)).toBe(true);
    const shown = `${await out('user list')}${await out('user list --json')}`;
    expect(shown).toMatch(/^ann {2}Dr\. Ann Roy {2}clinic \(Practitioner\/ann\), ward \(Practitioner\/a-2\) /m);
    expect(shown).not.toContain('argon2');
    expect(await out('user remove ann')).toBe('The user `ann` is removed and signed out everywhere.\n');
    expect(await user('ann')).toBeUndefined();
    expect((await events()).filter(event => event.startsWith('user-'))).toEqual([
      'user-add begun',
      'user-add 0',
      'user-rotate begun',
      'user-rotate 0',
      'user-remove begun',
      'user-remove 0',
    ]);
  });

  it('update changes what is named, and signs out if partitions or resources change', async () => {
    await out('user add una --generate --partitions clinic --fhir-user Practitioner/ann');
    const before = await user('una');
    const since = Date.now();
    const isOut = (store: Store) => isRevoked(store.documents(revocationCollection), { user: 'una' }, since);
    expect(await out('user update una --name Dr._Una')).toBe('The user `una` is changed.\n');
    expect(await user('una')).toEqual({ ...before, name: 'Dr. Una' });
    expect(await inStore(isOut)).toBe(false);
    expect(await out('user update una --partitions clinic,ward --fhir-user ward=Practitioner/a-2')).toBe(
      'The user `una` is changed and signed out everywhere.\n',
    );
    const partitions = [
      { id: 'clinic', fhirUser: 'Practitioner/ann' },
      { id: 'ward', fhirUser: 'Practitioner/a-2' },
    ];
    expect(await user('una')).toEqual({ ...before, name: 'Dr. Una', partitions });
    expect(await inStore(isOut)).toBe(true);
    await out('user update una --no-fhir-user --partitions ward --json');
    expect((await user('una'))?.partitions).toEqual([{ id: 'ward' }]);
    await out('user remove una');
    expect((await events()).filter(event => event === 'user-update 0')).toHaveLength(3);
  });

  it.skipIf(!existsSync('/usr/bin/script'))(
    'add asks at a terminal and shows nothing (where there is `script`)',
    async () => {
      const command = `${process.execPath} src/start.js user add bob --partitions clinic --store ${url}`;
      const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
      const input = 'a typed password\ra typed password\r';
      const shown = execFileSync('script', ['-qec', command, '/dev/null'], { cwd: root, env, input, encoding: 'utf8' });
      expect(shown).toContain('Password for bob:');
      expect(await checkPassword('a typed password', (await user('bob'))?.password)).toBe(true);
    },
  );

  it.each([
    ['user add eve --partitions clinic --password hunter2', 2, '`--password` is not a flag of this command.'],
    ['user add Eve --partitions clinic --generate', 2, 'ID is `Eve`, but must be 1 to 100 small letters'],
    ['user add eve --generate', 2, 'The user `eve` names no partition.'],
    ['user add eve --generate --partitions nowhere', 2, 'names the partition `nowhere`, which does not exist'],
    [
      'user add eve --generate --partitions clinic --fhir-user practitioner',
      2,
      '`--fhir-user` is `practitioner`, but must be a resource',
    ],
    [
      'user add eve --generate --partitions clinic --fhir-user ward=Practitioner/x',
      2,
      '`--fhir-user` names `ward`, which is not among `--partitions`.',
    ],
    ['user update nobody --name x', 1, 'There is no user `nobody`.'],
    ['user update bob', 2, 'No flag names what to change'],
    ['user update bob --partitions nowhere', 2, 'names the partition `nowhere`, which does not exist'],
    ['user update bob --fhir-user ward=Practitioner/x', 2, 'names `ward`, which is not among `--partitions`.'],
    ['user rotate nobody --generate', 1, 'There is no user `nobody`.'],
    ['user remove nobody', 1, 'There is no user `nobody`.'],
  ])('%s is refused', async (line, exit, sentence) => {
    expect(await refusal(line)).toEqual([exit, expect.stringContaining(sentence)]);
  });
});

describe('user add', () => {
  it('warns of a resource for the user that does not exist, and adds the user all the same', async () => {
    const add = (id: string, person: string) =>
      crs(`user add ${id} --generate --partitions clinic,ward --fhir-user clinic=${person}`);
    const { code, stderr } = await add('nora', 'Practitioner/nobody');
    expect([code, stderr]).toEqual([
      0,
      'Warning: `Practitioner/nobody` is not in `clinic`. Until it is loaded, apps that read the ' +
        "user's own record get 404, " +
        'and searches limited to the user find nothing.\n',
    ]);
    expect((await user('nora'))?.id).toBe('nora');
    const file = join(folder, 'somebody.ndjson');
    await writeFile(file, '{"resourceType":"Practitioner","id":"somebody","active":true}\n');
    await crs(`load --partition clinic ${file}`);
    expect(await add('sam', 'Practitioner/somebody')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('launch add', () => {
  it('makes a value for client, user and patient, and prints the URL that begins the app', async () => {
    await out(`client add viewer --launch-url https://app.example/launch?mode=ehr ${app}`);
    await out('user add carla --generate --partitions clinic --fhir-user Practitioner/c');
    await out('user add paula --generate --partitions clinic --fhir-user Patient/p0');
    const patients = join(folder, 'patients.ndjson');
    const records = [
      { resourceType: 'Patient', id: 'p1', active: true },
      { resourceType: 'Patient', id: 'p3', active: true },
      ...['p1', 'p3'].map(patient => ({
        resourceType: 'Encounter',
        id: `visit-${patient}`,
        status: 'finished',
        class: { code: 'AMB' },
        subject: { reference: `Patient/${patient}` },
      })),
    ];
    await writeFile(patients, records.map(record => `${JSON.stringify(record)}\n`).join(''));
    await crs(`load --partition clinic ${patients}`);
    const line =
      'launch add --client viewer --user carla --partition clinic --patient p1 --encounter visit-p1 ' +
      '--intent reconcile --no-banner';
    const printed = new URL((await out(line)).trim());
    expect(`${printed.origin}${printed.pathname}`).toBe('https://app.example/launch');
    expect(Object.fromEntries(printed.searchParams)).toEqual({
      mode: 'ehr',
      iss: 'http://127.0.0.1:8080/r4/clinic',
      launch: expect.stringMatching(/^[\w-]{43}$/) as unknown,
    });
    const value = printed.searchParams.get('launch') ?? '';
    const launch = {
      client: 'viewer',
      user: 'carla',
      partition: 'clinic',
      patient: 'p1',
      encounter: 'visit-p1',
      intent: 'reconcile',
      needPatientBanner: false,
    };
    expect(await inStore(store => findLaunch(store, value))).toEqual(launch);
    expect(await events()).toContain('launch-add 0');
  });

  it.each([
    ['launch add', 2, '`--client` is missing.\n`--user` is missing.'],
    [
      'launch add --client viewr --user carla --partition clinic',
      1,
      'There is no client `viewr`. Did you mean `viewer`?',
    ],
    [
      'launch add --client viewer --user karla --partition clinic',
      1,
      'There is no user `karla`. Did you mean `carla`?',
    ],
    [
      'launch add --client viewer --user carla --partition ward',
      1,
      'The client `viewer` is for clinic, not for `ward`.',
    ],
    [
      'launch add --client viewer --user carla --partition clinic --patient p2',
      1,
      'There is no Patient `p2` in `clinic`.',
    ],
    [
      'launch add --client viewer --user carla --partition clinic --patient p1 --encounter visit-p3',
      1,
      'The Encounter `visit-p3` does not belong to the Patient `p1`.',
    ],
    [
      'launch add --client viewer --user carla --partition clinic --patient p1 --encounter none',
      1,
      'There is no Encounter `none` in `clinic`.',
    ],
    [
      'launch add --client viewer --user carla --partition clinic --encounter visit-p1',
      1,
      'Name the patient of the encounter `visit-p1` with `--patient`.',
    ],
    [
      'launch add --client viewer --user paula --partition clinic --patient p1',
      1,
      'The user `paula` is the Patient `p0`, and opens no other record.',
    ],
    [
      'launch add --client viewer --user carla --partition clinic --launch-url https://evil.example/',
      1,
      'is not a launch URL of `viewer`',
    ],
    ['launch add --client server --user carla --partition clinic', 1, 'The client `server` has no launch URL.'],
  ])('%s is refused', async (line, exit, sentence) => {
    expect(await refusal(line)).toEqual([exit, expect.stringContaining(sentence)]);
  });
});

describe('key rotate', () => {
  it('adds keys, needs the key file of the store, and makes all new where that is lost', async () => {
    const secret = async (name: string): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, `a secret of random characters: ${name}`, { mode: 0o600 });
      return path;
    };
    const [key, other] = [await secret('first-key'), await secret('other-key')];
    expect(await out(`key rotate --key-file ${key}`)).toMatch(/^The key `[\w-]{43}` signs from \S+ on\.\n$/);
    expect(await out(`key rotate --key-file ${key}`)).toMatch(/\nThe former one, `[\w-]{43}`, stays published/);
    const wrong = await crs(`key rotate --key-file ${other}`);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('are encrypted with another key file')]);
    expect(await out(`key rotate --discard --key-file ${other}`)).toMatch(
      /^The key `[\w-]{43}` signs from \S+ on\.\n$/,
    );
    const missing = await crs('key rotate');
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('`--key-file` is missing')]);
  });
});
