import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOnce } from '../../../src/limits/cache.ts';
import { hashPassword } from '../../../src/smart/accounts/password.ts';
import { clientCollection, userCollection } from '../../../src/smart/accounts/registry.ts';
import type { StoredClient, StoredUser } from '../../../src/smart/accounts/registry.ts';
import { createLaunch } from '../../../src/smart/sign-in/launches.ts';
import type { Launch } from '../../../src/smart/accounts/registered.ts';
import { digestOf } from '../../../src/auth/token/digest.ts';
import { readConfig } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import type { RunningEngine } from '../../../src/engine/engine.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { createLog } from '../../../src/observability/log.ts';
import { requireModel } from '../../support/loaded-once.ts';
import { newStorePlace } from '../../support/store-place.ts';
import type { Place } from '../../support/store-place.ts';
import { sharedClock, startServer } from '../../support/processes/start.ts';
import { put } from '../../support/serve.ts';
import { otherProcess } from './other-process.ts';
import { keyPair } from './keys.ts';
import type { ClientKey } from './keys.ts';

export const callback = 'http://localhost:3000/callback';
export const password = 'correct horse battery staple';

/** What takes long to make and is the same for each server: the key of its clients, and the hash of the password. */
const keyOnce = makeOnce(() => keyPair('RS384'));
const hashOnce = makeOnce(() => hashPassword(password));

/** A server with clients, users and records, as the real engine serves it. */
export interface Authorizing {
  readonly running: RunningEngine;
  readonly store: Store;
  /** As `--store` takes it. */
  readonly storeUrl: string;
  /** `{url}/r4/demo`, and `{url}/auth`. */
  readonly base: string;
  readonly issuer: string;
  /** That of the server; with `second` that of another process too, which shares the store and the public URL alone. */
  readonly ports: readonly [first: number, second: number];
  /** The keys of the clients `signing-app` and `backend`. */
  readonly key: ClientKey;
  /** The clock, which tests move; it begins at the real time. */
  readonly clock: { now: number };
  /** File of the secret that encrypts the signing keys. */
  readonly keyFile: string;
  /** What went wrong at the server: a test that wants it so empties the list. */
  readonly faults: unknown[];
  addClient(client: Partial<StoredClient> & { readonly id: string }): Promise<void>;
  addUser(user: Partial<StoredUser> & { readonly id: string }): Promise<void>;
  /** A launch value of the EHR. */
  launch(launch?: Partial<Launch>): Promise<string>;
  /** Throws what went wrong meanwhile. */
  close(): Promise<void>;
}

export interface AuthorizingOptions {
  readonly flags?: readonly string[];
  /** Whether a second process is to answer too. */
  readonly second?: boolean;
  readonly place?: () => Promise<Place>;
  /** Beside those of all tests. */
  readonly resources?: readonly object[];
  readonly demo?: boolean;
  /** Takes the lines that the server writes, of each request one. */
  readonly write?: (line: string) => void;
}

/** The default scopes of the registered clients of tests. */
export const appScopes = [
  'openid',
  'fhirUser',
  'profile',
  'launch',
  'launch/patient',
  'launch/encounter',
  'offline_access',
  'online_access',
  'patient/*.cruds',
  'user/*.cruds',
];

/**
 * Starts it, with the partitions `demo` and `other`; clients `app` (public), `secret-app` (symmetric, secret
 * `app-secret`), `signing-app` (asymmetric) and `backend`; users `clinician`, `patient` and `guest`, all with the same
 * password.
 */
export async function authorizing(options: AuthorizingOptions = {}): Promise<Authorizing> {
  const { flags = [], second = false, place: newPlace = newStorePlace, resources = [], demo = false, write } = options;
  const place = await newPlace();
  const folder = await mkdtemp(join(tmpdir(), 'crs-keys-'));
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  const clock = sharedClock(Date.now());
  const now = (): number => clock.now;
  const faults: unknown[] = [];
  const written = write === undefined ? createLog('off') : createLog('info', { write });
  const fault = (error: unknown, requestId: string): void => {
    faults.push(error);
    written.fault(error, requestId);
  };
  const log = { ...written, fault };
  const config = readConfig(['--port', '0', '--store', place.url, '--log', 'off', '--key-file', keyFile, ...flags]);
  const running = await startServer(config, log, { load: requireModel, now, demo, clock: clock.file });
  const { store } = running.engine;
  await store.partitions.add('demo', { zone: 'America/Toronto' });
  await store.partitions.add('other', { zone: 'America/Toronto' });
  const partition = await store.partition('demo');
  if (partition === undefined) throw new Error('no partition');
  await put(partition, [...people, ...resources]);
  const again = { ...config, port: 0, publicUrl: running.url };
  // A file serves one server only, so that another app on the same store represents the second one.
  const beside = () =>
    place.url.startsWith('mongodb')
      ? startEngine(again, log, { load: requireModel, now })
      : otherProcess(running, again, log, now);
  const other = second ? await beside() : undefined;

  const [key, hashed] = await Promise.all([keyOnce(), hashOnce()]);
  const addClient: Authorizing['addClient'] = async ({ id, ...more }) => {
    const client: StoredClient = {
      id,
      name: `The app ${id}`,
      kind: 'public',
      flows: ['app'],
      redirectUris: [callback],
      launchUrls: ['http://localhost:3000/launch'],
      origins: [],
      scopes: appScopes,
      partitions: ['demo'],
      jwks: undefined,
      jwksUrl: undefined,
      registered: now(),
      secrets: [],
      ...more,
    };
    await store.documents(clientCollection).put(id, client);
  };
  const addUser: Authorizing['addUser'] = async ({ id, ...more }) => {
    const partitions = [{ id: 'demo', fhirUser: undefined }];
    const user: StoredUser = { id, name: `The user ${id}`, password: hashed, partitions, registered: now(), ...more };
    await store.documents(userCollection).put(id, user);
  };
  const jwks = { keys: [key.publicJwk] };
  await addClient({ id: 'app' });
  await addClient({ id: 'secret-app', kind: 'symmetric', secrets: [{ digest: digestOf('app-secret') }] });
  await addClient({ id: 'signing-app', kind: 'asymmetric', jwks });
  await addClient({
    id: 'backend',
    kind: 'asymmetric',
    flows: ['backend'],
    redirectUris: [],
    scopes: ['system/*.cruds'],
    jwks,
  });
  await addUser({ id: 'clinician', partitions: [{ id: 'demo', fhirUser: 'Practitioner/dr' }] });
  await addUser({ id: 'patient', partitions: [{ id: 'demo', fhirUser: 'Patient/ann' }] });
  await addUser({ id: 'guest' });
  return {
    running,
    store,
    storeUrl: place.url,
    base: `${running.url}/r4/demo`,
    issuer: `${running.url}/auth`,
    ports: [running.port, other?.port ?? running.port],
    key,
    keyFile,
    clock,
    faults,
    addClient,
    addUser,
    launch: more =>
      createLaunch(
        store,
        {
          client: 'app',
          user: 'clinician',
          partition: 'demo',
          patient: 'ann',
          encounter: undefined,
          intent: undefined,
          needPatientBanner: true,
          ...more,
        },
        { now },
      ),
    async close() {
      await other?.close();
      await running.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
      if (faults.length > 0) throw new Error('The server failed on a request', { cause: faults[0] });
    },
  };
}

/** Two patients, and a clinician who looks after both. */
const people = [
  { resourceType: 'Practitioner', id: 'dr', name: [{ family: 'Okafor' }] },
  {
    resourceType: 'Patient',
    id: 'ann',
    name: [{ family: 'Andersen', given: ['Ann'] }],
    birthDate: '1980-01-02',
    generalPractitioner: [{ reference: 'Practitioner/dr' }],
  },
  {
    resourceType: 'Patient',
    id: 'bob',
    name: [{ family: 'Berg', given: ['Bob'] }],
    birthDate: '1990-03-04',
    generalPractitioner: [{ reference: 'Practitioner/dr' }],
  },
];
