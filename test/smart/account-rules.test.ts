import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  clientId,
  clientProblems,
  fhirUser,
  keySet,
  redirectUri,
  registrableScope,
  userId,
  userProblems,
  webOrigin,
  webUrl,
} from '../../src/smart/accounts/account-rules.ts';
import { displayName } from '../../src/config/values.ts';
import type { RegisteredClient } from '../../src/smart/accounts/registered.ts';
import { loadModel } from '../support/loaded-once.ts';

const { model } = await loadModel({ definitions: [] });
if (model === undefined) throw new Error('no model');

/** What is thrown; undefined where it is accepted as it is. */
function problem(read: (text: string) => string, text: string): string | undefined {
  try {
    expect(read(text)).toBe(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('a redirect URI', () => {
  // https://www.rfc-editor.org/rfc/rfc8252#section-7
  it.each([
    ['https://app.example/callback'],
    ['https://app.example/callback?from=ehr'],
    ['http://localhost:3000/'],
    ['http://localhost:3000'],
    ['http://127.0.0.1:5173/cb'],
    ['http://[::1]:3000/cb'],
    ['com.example.app:/callback'],
    ['com.example.app://callback'],
  ])('may be %s', uri => expect(problem(redirectUri, uri)).toBeUndefined());

  it.each([
    ['http://app.example/callback'],
    ['http://localhost.example/'],
    ['http://127.0.0.1.example/'],
    ['http://10.0.0.1/'],
    ['https://app.example/callback#part'],
    ['https://app.example/*'],
    ['https://*.example/'],
    ['https://me:secret@app.example/'],
    ['https:\\\\app.example'],
    ['https://app.example/ a'],
    ['javascript:alert(1)'],
    ['data:text/html,x'],
    ['myapp:/callback'],
    ['file:///etc/passwd'],
    ['/callback'],
    ['urn:ietf:wg:oauth:2.0:oob'],
    [''],
  ])('may not be `%s`', uri => expect(problem(redirectUri, uri)).toContain('must be an https URL'));
});

describe('what else is registered', () => {
  it.each<[name: string, read: (text: string) => string, good: string[], bad: string[]]>([
    ['client id', clientId, ['growth-chart', 'A1', 'a.b_c~d-e'], ['', '-a', 'a b', 'a/b', 'é', 'a'.repeat(101)]],
    ['user id', userId, ['ann', 'ann.roy@clinic.example', '4'], ['', 'Ann', 'a b', '.ann', 'a'.repeat(101)]],
    ['name', displayName, ['Dr. Ann Roy', 'Élodie'], ['', ' a', 'a\nb', '\u202ea', 'a'.repeat(101)]],
    [
      'launch URL',
      webUrl,
      ['https://a.example/launch?x=1', 'http://localhost:3000/launch'],
      ['http://a.example/', 'com.example.app:/a', 'https://a.example/#x'],
    ],
    [
      'origin',
      webOrigin,
      ['https://a.example', 'https://a.example:8443', 'http://localhost:3000'],
      ['https://a.example/', 'http://a.example', 'null', 'https://A.example'],
    ],
    [
      'resource of a user',
      fhirUser,
      ['Practitioner/p-1', 'Patient/p'],
      ['Practitioner', 'practitioner/1', 'https://a.example/Patient/1', 'Patient/p/1', 'Patient/ü'],
    ],
    [
      'scope',
      text => registrableScope(text, model),
      [
        'openid',
        'fhirUser',
        'launch',
        'launch/patient',
        'offline_access',
        'online_access',
        'patient/*.rs',
        'user/*.read',
        'patient/*.*',
        'user/Patient.rs',
        'system/*.rs',
        'system/Patient.rs',
      ],
      [
        'opneid',
        'patient/Foo.rs',
        'user/Observation.cruds',
        'launch/Observation',
        'system/Media.c',
        'patient/Observation',
        '*',
      ],
    ],
  ])('%s', (_, read, good, bad) => {
    for (const text of good) expect([text, problem(read, text)]).toEqual([text, undefined]);
    for (const text of bad) expect([text, problem(read, text)]).toEqual([text, expect.any(String)]);
  });
});

describe('keys of a client', () => {
  const jwkOf = (
    pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
    half: 'publicKey' | 'privateKey' = 'publicKey',
  ) => ({
    ...pair[half].export({ format: 'jwk' }),
    kid: 'one',
  });
  const rsa = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const ecPair = generateKeyPairSync('ec', { namedCurve: 'P-384' });

  it('may be for RS384 and for ES384', () => {
    expect(keySet({ keys: [rsa, jwkOf(ecPair)] })).toEqual({ keys: [rsa, jwkOf(ecPair)] });
  });

  it.each<[why: string, set: unknown, problem: string]>([
    ['no set', [rsa], 'must be a JSON Web Key Set'],
    ['empty', { keys: [] }, 'must be a JSON Web Key Set'],
    ['no id', { keys: [{ ...rsa, kid: undefined }] }, 'a key without an id'],
    ['private', { keys: [jwkOf(ecPair, 'privateKey')] }, 'holds the private half of the key `one`'],
    ['of both', { keys: [{ kty: 'oct', k: 'AAAA', kid: 'one' }] }, 'holds the private half'],
    ['another curve', { keys: [jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))] }, 'neither one for RS384'],
    ['short', { keys: [jwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }))] }, 'shorter than 2048 bits'],
    ['broken', { keys: [{ ...rsa, n: 1 }] }, 'which cannot be read'],
  ])('are refused: %s', (_, set, text) => {
    expect(() => keySet(set)).toThrow(text);
  });
});

describe('a client as a whole', () => {
  const app: RegisteredClient = {
    id: 'app',
    name: 'App',
    kind: 'public',
    flows: ['app'],
    redirectUris: ['https://app.example/'],
    launchUrls: [],
    origins: [],
    scopes: ['openid', 'patient/*.rs'],
    partitions: ['clinic'],
    secretDigests: [],
    jwks: undefined,
    jwksUrl: undefined,
    registered: 0,
  };
  const keys = { jwksUrl: 'https://app.example/jwks' };
  const backend: Partial<RegisteredClient> = {
    kind: 'asymmetric',
    flows: ['backend'],
    redirectUris: [],
    scopes: ['system/*.rs'],
    ...keys,
  };

  it.each<[Partial<RegisteredClient>, string | undefined]>([
    [{}, undefined],
    [backend, undefined],
    [
      {
        ...backend,
        ...app,
        kind: 'asymmetric',
        ...keys,
        flows: ['app', 'backend'],
        scopes: ['user/*.rs', 'system/*.rs'],
      },
      undefined,
    ],
    [{ kind: 'symmetric', secretDigests: ['x'] }, undefined],
    [{ flows: [] }, 'has no flow'],
    [{ scopes: [] }, 'has no scope.'],
    [{ partitions: [] }, 'names no partition.'],
    [
      { partitions: ['clinik'] },
      'names the partition `clinik`, which does not exist; `partition add clinik` adds it. Did you mean `clinic`?',
    ],
    [{ redirectUris: [] }, 'needs a redirect URI'],
    [{ ...backend, redirectUris: ['https://a.example/'] }, 'which has no redirect URI'],
    [{ ...backend, kind: 'symmetric', secretDigests: ['x'], jwksUrl: undefined }, 'must be `asymmetric`'],
    [{ scopes: ['system/*.rs'] }, 'which need the flow `backend`'],
    [{ ...backend, scopes: ['user/*.rs'] }, '`system/` scopes only'],
    [{ ...backend, scopes: ['openid', 'system/*.rs'] }, '`system/` scopes only'],
    [{ kind: 'asymmetric' }, 'needs its public keys'],
    [keys, 'is `public`, which has no keys'],
    [{ ...backend, jwks: { keys: [] } }, 'use one of them'],
    [{ kind: 'symmetric' }, 'needs a secret'],
    [{ secretDigests: ['x'] }, 'is `public`, which has no secret'],
  ])('%j: %s', (change, text = '') => {
    const problems = clientProblems({ ...app, ...change }, ['clinic', 'ward']);
    expect(problems).toHaveLength(text === '' ? 0 : problems.length || 1);
    expect(problems.join(' ')).toContain(text);
  });

  it('and a user names partitions that are there', () => {
    const user = { id: 'a', name: 'A', password: '', registered: 0 };
    const at = (...ids: string[]) => ids.map(id => ({ id, fhirUser: undefined }));
    expect(userProblems({ ...user, partitions: at('clinic') }, ['clinic'])).toEqual([]);
    expect(userProblems({ ...user, partitions: [] }, ['clinic'])).toEqual(['names no partition.']);
    expect(userProblems({ ...user, partitions: at('x', 'y') }, ['clinic'])).toHaveLength(2);
  });
});
