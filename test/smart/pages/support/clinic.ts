import { randomBytes, createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOnce } from '../../../../src/limits/cache.ts';
import { hashPassword } from '../../../../src/smart/accounts/password.ts';
import type { RegisteredClient, RegisteredUser } from '../../../../src/smart/accounts/registered.ts';
import { clientCollection, userCollection } from '../../../../src/smart/accounts/registry.ts';
import type { StoredClient } from '../../../../src/smart/accounts/registry.ts';
import { readConfig } from '../../../../src/config/read.ts';
import { startEngine } from '../../../../src/engine/engine.ts';
import type { RunningEngine } from '../../../../src/engine/engine.ts';
import { requireModel } from '../../../support/loaded-once.ts';
import { patient } from '../../../support/resources.ts';
import { put } from '../../../support/serve.ts';
import { newStorePlace } from '../../../support/store-place.ts';

/** A service with its authorization server, with patients, people who sign in, and apps. */
export interface Clinic {
  readonly running: RunningEngine;
  readonly url: string;
  /** Of the partition `demo`. */
  readonly base: string;
  /** Moves the clock on, in milliseconds. */
  pass(time: number): void;
  /** The query of an authorization request of the app, with a new code challenge. */
  authorizeUrl(more?: Readonly<Record<string, string>>): string;
  /** The code verifier that goes with every `authorizeUrl`. */
  readonly verifier: string;
  close(): Promise<void>;
}

export const password = 'correct horse battery';

export const users: readonly Omit<RegisteredUser, 'password' | 'registered'>[] = [
  { id: 'dr', name: 'Dr. Adaeze Okafor', partitions: [{ id: 'demo', fhirUser: 'Practitioner/dr' }] },
  { id: 'zoe', name: 'Zoë Tremblay', partitions: [{ id: 'demo', fhirUser: 'Patient/p1' }] },
  { id: 'clerk', name: 'Clerk', partitions: [{ id: 'demo', fhirUser: undefined }] },
  { id: 'elsewhere', name: 'Somebody else', partitions: [{ id: 'other', fhirUser: 'Practitioner/x' }] },
];

export const scopes =
  'openid fhirUser launch launch/patient offline_access patient/Patient.rs patient/Condition.rs ' +
  'user/Patient.rs user/Media.c';

const app: Omit<RegisteredClient, 'secretDigests'> = {
  id: 'growth',
  name: 'Growth Chart',
  kind: 'public',
  flows: ['app'],
  redirectUris: ['http://127.0.0.1:9/callback'],
  launchUrls: ['http://127.0.0.1:9/launch'],
  origins: [],
  scopes: scopes.split(' '),
  partitions: ['demo'],
  jwks: undefined,
  jwksUrl: undefined,
  registered: 0,
};

const hashOnce = makeOnce(() => hashPassword(password));

/** `change` is for apps with other addresses or names; `flags` are settings. */
export async function openClinic(
  change: Partial<Omit<RegisteredClient, 'secretDigests'>> = {},
  flags: readonly string[] = [],
): Promise<Clinic> {
  const place = await newStorePlace();
  const folder = await mkdtemp(join(tmpdir(), 'crs-web-'));
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  let passed = 0;
  const now = (): number => Date.now() + passed;
  const settings = ['--port', '0', '--store', place.url, '--log', 'off', '--key-file', keyFile, ...flags];
  const running = await startEngine(readConfig(settings), undefined, { load: requireModel, now });
  const { store } = running.engine;
  for (const id of ['demo', 'other']) await store.partitions.add(id, { zone: 'America/Toronto' });
  const demo = await store.partition('demo');
  if (demo === undefined) throw new Error('no partition');
  await put(demo, patients);
  const hash = await hashOnce();
  for (const user of users)
    await store.documents(userCollection).put(user.id, { ...user, password: hash, registered: 0 });
  const client: StoredClient = { ...app, ...change, secrets: [] };
  await store.documents(clientCollection).put(client.id, client);
  const base = `${running.url}/r4/demo`;
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return {
    running,
    url: running.url,
    base,
    verifier,
    pass: time => void (passed += time),
    authorizeUrl: more => {
      const query = {
        response_type: 'code',
        client_id: client.id,
        redirect_uri: client.redirectUris[0] ?? '',
        scope: 'openid fhirUser launch/patient offline_access patient/Patient.rs patient/Condition.rs',
        state: 'state-1',
        aud: base,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...more,
      };
      return `${running.url}/auth/authorize?${new URLSearchParams(query).toString()}`;
    },
    async close() {
      await running.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const named = (id: string, family: string, given: string, birthDate: string): object =>
  patient(id, { name: [{ family, given: [given] }], birthDate });

/** People whom a search distinguishes, and more Martins than are shown. */
export const patients: readonly object[] = [
  named('p1', 'Tremblay', 'Zoë', '1980-02-29'),
  named('p2', 'Tremblay', 'Marc-André', '1959-03-02'),
  named('p3', 'Okafor', 'Ada', '1980-02-29'),
  patient('p4', { name: [{ family: '<b>Ng</b>', given: ['"Lin" & \'co\''] }], birthDate: '2001-12-31' }),
  named('p5', '王', '小明', '1990-06-01'),
  patient('f1', {
    birthDate: '1999-09-09',
    active: false,
    name: [
      { use: 'nickname', given: ['Luc'] },
      { use: 'usual', family: 'Fraser-Roy', given: ['Lucas'] },
      { use: 'official', family: 'Fraser', given: ['Lucas', 'John'] },
    ],
    link: [{ other: { reference: 'Patient/f2' }, type: 'replaced-by' }],
  }),
  patient('f2', {
    birthDate: '1999-09-09',
    name: [
      { use: 'old', family: 'Fraser', given: ['Lia'] },
      { use: 'usual', given: ['Lili'] },
      { family: 'Roy', given: ['Lia'] },
    ],
    deceasedDateTime: '2024-02',
    link: [{ other: { reference: 'Patient/f1' }, type: 'replaces' }],
  }),
  ...Array.from({ length: 25 }, (_, at) => named(`m${at}`, 'Martin', `Number ${at}`, '1970-01-01')),
];
