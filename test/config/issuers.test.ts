import { describe, expect, it } from 'vitest';
import { usualClaims } from '../../src/auth/token/settings.ts';
import { ConfigError, readConfig } from '../../src/config/read.ts';

const files = new Map([
  ['secret.txt', ' from a file \n'],
  ['ca.pem', 'PEM'],
  ['empty.txt', '\n'],
]);

/** The settings as they are read from a file with these issuers, or what is wrong with them. */
function read(issuers: unknown): ReturnType<typeof readConfig>['issuers'] | readonly string[] {
  const readFile = (path: string): string => {
    if (path === 's.json') return JSON.stringify({ issuers });
    const text = files.get(path);
    if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
    return text;
  };
  try {
    return readConfig(['--config', 's.json'], {}, readFile).issuers;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const issuer = 'https://issuer.example/a/';
const least = { issuer, partitions: 'clinic' };

describe('issuers of the settings file', () => {
  it('have defaults', () => {
    expect(read([least])).toEqual([
      {
        issuer,
        partitions: ['clinic'],
        audiences: undefined,
        types: ['at+jwt'],
        claims: usualClaims,
        scopeNames: new Map(),
        keysUrl: undefined,
        clockSkew: 30_000,
        introspection: undefined,
        privateAddresses: false,
        authorities: undefined,
      },
    ]);
  });

  it('take all there is', () => {
    const all = {
      issuer,
      partitions: ['a', 'b'],
      aud: ['x', 'y'],
      typ: ['JWT', 'application/at+jwt', 'none'],
      claims: { client: 'c', subject: ['s', 't'], scope: 'sc', patient: 'p', fhirUser: 'f', partition: 'pa' },
      scopes: { 'user.all': 'user/*.rs' },
      jwks: 'https://keys.example/',
      'clock-skew': 5,
      introspection: { client: 'me', 'secret-file': 'secret.txt' },
      'private-addresses': true,
      ca: 'ca.pem',
    };
    expect(read([all])).toEqual([
      {
        issuer,
        partitions: ['a', 'b'],
        audiences: ['x', 'y'],
        types: ['jwt', 'at+jwt', 'none'],
        claims: { client: ['c'], subject: ['s', 't'], scope: ['sc'], patient: ['p'], fhirUser: ['f'], partition: 'pa' },
        scopeNames: new Map([['user.all', 'user/*.rs']]),
        keysUrl: 'https://keys.example/',
        clockSkew: 5_000,
        introspection: { client: 'me', secret: 'from a file' },
        privateAddresses: true,
        authorities: 'PEM',
      },
    ]);
  });

  it.each<[title: string, issuers: unknown, problems: readonly RegExp[]]>([
    ['no list', {}, [/^`issuers` in s\.json must be a list of objects\.$/]],
    ['no object', ['https://a.example'], [/must be a list of objects/]],
    [
      'nothing',
      [{}],
      [/^`issuers\[0\]\.issuer` in s\.json is missing: /, /`issuers\[0\]\.partitions` in s\.json is missing/],
    ],
    ['the same twice', [least, least], [/names `https:\S+` twice\.$/]],
    [
      'a key that is not known',
      [{ ...least, audience: 'x' }],
      [/^`issuers\[0\]\.audience` in s\.json is not a setting\.$/],
    ],
    ['a key that is misspelt', [{ ...least, 'clock-skw': 1 }], [/Did you mean `clock-skew`\?/]],
    [
      'a claim that is not known',
      [{ ...least, claims: { scp: 'a' } }],
      [/`issuers\[0\]\.claims\.scp` .* is not a setting/],
    ],
    ['claims that are a text', [{ ...least, claims: 'scp' }], [/claims` in s\.json must be an object/]],
    ['no URL', [{ ...least, issuer: 'issuer.example' }], [/must be an https URL/]],
    [
      'a URL with a password',
      [{ ...least, issuer: 'https://me:word@a.example' }],
      [/^(?!.*word).*must be an https URL/],
    ],
    ['no partition id', [{ ...least, partitions: ['A'] }], [/a partition id is/]],
    ['a partition claim without aud', [{ ...least, claims: { partition: 'p' } }], [/which requires `aud`/]],
    [
      'several partitions, aud and no claim',
      [{ ...least, partitions: ['a', 'b'], aud: 'x' }],
      [/name the claim with the partition/],
    ],
    ['an empty list', [{ ...least, aud: [] }], [/aud` .* must be a text or a list of texts/]],
    ['a number for a text', [{ ...least, ca: 1 }], [/ca` .* must be a text/]],
    ['a file that does not exist', [{ ...least, ca: 'x.pem' }], [/ca` .* cannot be read: ENOENT/]],
    ['a skew of an hour', [{ ...least, 'clock-skew': 3600 }], [/must be a number from 0 to 300/]],
    ['a text for true', [{ ...least, 'private-addresses': 'yes' }], [/must be true or false/]],
    ['no secret', [{ ...least, introspection: { client: 'a' } }], [/introspection\.secret` in s\.json is missing/]],
    ['an empty secret', [{ ...least, introspection: { client: 'a', 'secret-file': 'empty.txt' } }], [/is empty/]],
    ['two scopes for one', [{ ...least, scopes: { a: 'user/*.rs system/*.rs' } }], [/must be one scope/]],
  ])('are refused: %s', (_, issuers, problems) => {
    expect(read(issuers)).toEqual(problems.map(problem => expect.stringMatching(problem)));
  });
});
