import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readAccounts } from '../../src/smart/accounts/accounts.ts';
import { digestOf } from '../../src/auth/token/digest.ts';
import { loadModel } from '../support/loaded-once.ts';
import { example } from '../support/readmes.ts';

const { model } = await loadModel({ definitions: [] });
if (model === undefined) throw new Error('no model');

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k' };
const hash = '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const longSecret = 'a secret of thirty-two characters';
const files = new Map([
  ['secret.txt', `${longSecret}\n`],
  ['short.txt', 'short'],
]);

const readFile = (path: string): string => {
  const text = files.get(path);
  if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
  return text;
};

const read = (content: unknown, text = JSON.stringify(content)): ReturnType<typeof readAccounts> =>
  readAccounts('accounts.json', text, { model, partitions: ['clinic', 'ward'], readFile, registered: 5 });

/** What is wrong, a line each. */
function problems(content: unknown, text?: string): readonly string[] {
  try {
    read(content, text);
    return [];
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : [String(error)];
  }
}

const app = {
  id: 'app',
  kind: 'public',
  'redirect-uris': 'https://a.example/',
  scopes: 'openid patient/*.rs',
  partitions: 'clinic',
};
const ann = { id: 'ann', password: hash, partitions: ['clinic', 'ward'] };

describe('the file of accounts', () => {
  it('is as the README shows it', () => {
    const text = example('src/smart/README.md', 'A file of clients and users', 'json');
    const { clients, users } = read(undefined, text);
    expect([...clients, ...users].map(({ id }) => id)).toEqual(['growth-chart', 'nightly-report', 'ann']);
  });

  it('may be empty', () => {
    expect(read({})).toEqual({ clients: [], users: [] });
  });

  it('holds clients with defaults, and with all there is', () => {
    const all = {
      ...app,
      id: 'both',
      name: 'Both',
      kind: 'asymmetric',
      flows: ['app', 'backend'],
      'launch-urls': ['https://a.example/launch'],
      origins: 'https://b.example',
      scopes: ['openid launch', 'system/*.rs'],
      jwks: { keys: [key] },
    };
    const server = {
      ...app,
      id: 'server',
      kind: 'symmetric',
      'secret-file': 'secret.txt',
      'secret-digests': digestOf('x'),
    };
    const { clients } = read({ clients: [app, all, server] });
    expect(clients[0]).toEqual({
      id: 'app',
      name: 'app',
      kind: 'public',
      flows: ['app'],
      redirectUris: ['https://a.example/'],
      launchUrls: [],
      origins: [],
      scopes: ['openid', 'patient/*.rs'],
      partitions: ['clinic'],
      secretDigests: [],
      jwks: undefined,
      jwksUrl: undefined,
      registered: 5,
    });
    expect(clients[1]).toMatchObject({
      name: 'Both',
      kind: 'asymmetric',
      flows: ['app', 'backend'],
      launchUrls: ['https://a.example/launch'],
      origins: ['https://b.example'],
      scopes: ['openid', 'launch', 'system/*.rs'],
      jwks: { keys: [key] },
    });
    expect(clients[2]).toMatchObject({ secretDigests: [digestOf('x'), digestOf(longSecret)] });
  });

  it('holds users, with one resource for all partitions or one for each', () => {
    const { users } = read({
      users: [
        { ...ann, 'fhir-user': 'Practitioner/ann' },
        { ...ann, id: 'bob', name: 'Bob', 'fhir-user': { ward: 'Practitioner/bob' } },
      ],
    });
    expect(users).toEqual([
      {
        id: 'ann',
        name: 'ann',
        password: hash,
        partitions: [
          { id: 'clinic', fhirUser: 'Practitioner/ann' },
          { id: 'ward', fhirUser: 'Practitioner/ann' },
        ],
        registered: 5,
      },
      {
        id: 'bob',
        name: 'Bob',
        password: hash,
        partitions: [
          { id: 'clinic', fhirUser: undefined },
          { id: 'ward', fhirUser: 'Practitioner/bob' },
        ],
        registered: 5,
      },
    ]);
  });

  it('reports all problems at once, with file and place, in the order of the file', () => {
    const clients = [
      { ...app, 'redirect-uris': ['http://a.example/', 'https://a.example/'], partitions: 'Clinic' },
      { id: 'no kind', scope: 'openid' },
      app,
      { ...app, scopes: ['openid patient/Foo.rs'], 'secret-digests': 'plain text' },
      { ...app, id: 'two', partitions: ['clinik'] },
    ];
    const users = [
      { ...ann, password: 'correct horse battery' },
      { id: 'Ann' },
      { ...ann, 'fhir-user': { clinic: 'ann', other: 'Practitioner/1' } },
    ];
    const found = problems({ clients, users, people: [] });
    expect(found).toEqual([
      '`clients[0].redirect-uris` in accounts.json is `http://a.example/`, but must be an https URL, ' +
        'one such as `http://localhost:3000/callback` on the same machine, or one with the scheme of an ' +
        'app, such as `com.example.app:/callback`, without a fragment.',
      '`clients[0].partitions` in accounts.json is `Clinic`, but a partition id is 1 to 32 of the ' +
        'characters a to z, 0 to 9 and hyphen.',
      '`clients[1].id` in accounts.json is `no kind`, but must be 1 to 100 letters, digits or the ' +
        'characters `.`, `_`, `~`, `-`.',
      '`clients[1].scope` in accounts.json is not a setting. Did you mean `scopes`?',
      '`clients[1].kind` in accounts.json is missing: `public`, `symmetric` or `asymmetric`.',
      '`clients[2].id` in accounts.json is `app`, which another entry has too.',
      '`clients[3].id` in accounts.json is `app`, which another entry has too.',
      '`clients[3].scopes` in accounts.json holds `patient/Foo.rs`, which the capability files do not ' +
        'list, or list in part.',
      '`clients[3].secret-digests` in accounts.json must be a digest of a secret, as `client add ' +
        '--for-file` prints it.',
      '`clients[4]` in accounts.json names the partition `clinik`, which does not exist; `partition ' +
        'add clinik` adds it. Did you mean `clinic`?',
      '`users[0].password` in accounts.json must be what `user add --for-file` prints (argon2id), never the password.',
      '`users[1].id` in accounts.json is `Ann`, but must be 1 to 100 small letters, digits or the ' +
        'characters `.`, `_`, `@`, `+`, `-`.',
      '`users[1].password` in accounts.json is missing: what `user add --for-file` prints.',
      '`users[2].id` in accounts.json is `ann`, which another entry has too.',
      '`users[2].fhir-user.clinic` in accounts.json is `ann`, but must be a resource of the partition, ' +
        'such as `Type/id`.',
      '`users[2].fhir-user.other` in accounts.json is not a partition of the user.',
      '`people` in accounts.json is not a setting.',
    ]);
    expect(found.join()).not.toContain('correct horse');
  });

  it.each<[why: string, text: string, problem: RegExp]>([
    ['no JSON', '{"clients": [', /^The file accounts\.json cannot be read: .* \(line 1, column \d+\)\.$/],
    ['a name twice', '{"clients": [], "clients": []}', /^The file accounts\.json cannot be read: /],
    ['no object', '[]', /^The file accounts\.json must be one JSON object\.$/],
    ['no list', '{"users": {}}', /^`users` in accounts\.json must be a list of objects\.$/],
    ['a list of something else', '{"users": ["ann"]}', /^`users` in accounts\.json must be a list of objects\.$/],
  ])('is refused: %s', (_, text, problem) => {
    expect(problems(undefined, text)).toEqual([expect.stringMatching(problem)]);
  });

  it.each<[object, string]>([
    [{ ...app, kind: 'symmetric' }, '`clients[0]` in accounts.json is `symmetric` and needs a secret.'],
    [
      { ...app, kind: 'symmetric', 'secret-file': 'short.txt' },
      '`clients[0].secret-file` in accounts.json names a file with fewer than 32 characters, which is ' +
        'too short for a secret.',
    ],
    [
      { ...app, kind: 'symmetric', 'secret-file': 'none.txt' },
      "`clients[0].secret-file` in accounts.json cannot be read: ENOENT: no such file or directory, open 'none.txt'.",
    ],
    [
      { ...app, kind: 'asymmetric', jwks: { keys: [{ ...key, d: 'AAAA' }] } },
      '`clients[0].jwks` in accounts.json holds the private half of the key `k`: it must not leave the ' +
        'client; register the public half.',
    ],
    [
      { ...app, kind: 'asymmetric', 'jwks-url': 'http://a.example/jwks' },
      '`clients[0].jwks-url` in accounts.json is `http://a.example/jwks`, but must be an https URL ' +
        'without a fragment; http is accepted for the same machine only.',
    ],
  ])('reports the problem of a client %j', (client, problem) => {
    expect(problems({ clients: [client] })).toEqual([problem]);
  });
});
