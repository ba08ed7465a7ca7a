// Keycloak, Entra ID and Okta with the settings that the README gives for them, against an issuer that makes tokens as
// they do.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/read.ts';
import type { RunningEngine } from '../../../src/engine/engine.ts';
import { requireModel } from '../../support/loaded-once.ts';
import { startServer } from '../../support/processes/start.ts';
import { put } from '../../support/serve.ts';
import { example } from '../../support/readmes.ts';
import { startIssuer } from './support/issuer.ts';
import type { TestIssuer } from './support/issuer.ts';

const base = 'https://ehr.example/r4/clinic';
const now = (): number => Math.floor(Date.now() / 1000);

/** The settings of the first JSON block under a heading of src/auth/README.md. */
function settingsFor(heading: string): { issuers: Record<string, unknown>[] } {
  const json = example('src/auth/README.md', heading, 'json');
  return JSON.parse(json) as { issuers: Record<string, unknown>[] }; // the test fails where it is something else
}

interface Habits {
  readonly heading: string;
  readonly header: Partial<JWTHeaderParameters>;
  /** The claims of an access token: of a user, with a patient or without, or of a client alone. */
  access(who: { user?: string; patient?: string; scope: string }): JWTPayload;
  /** The same session's ID token. */
  id(): JWTPayload;
}

const tenant = '8d1ef4c5-72a5-4f4b-9d2e-3a1c5b7f9e20';
const api = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const all: readonly Habits[] = [
  {
    heading: 'Keycloak',
    header: { typ: 'JWT' },
    access: ({ user, patient, scope }) => ({
      jti: 'onrtac:6f2d', auth_time: now(), typ: 'Bearer', azp: 'chart-app', sid: 'f1d2', acr: '1',
      aud: [base, 'account'], sub: '7f3c2d1e-5a4b', scope: `openid ${scope} profile email`,
      'allowed-origins': ['https://app.example'], realm_access: { roles: ['offline_access'] },
      preferred_username: 'ann', ...(patient && { patient }), ...(user && { fhirUser: user }),
    }), // prettier-ignore
    id: () => ({
      jti: '8a7b',
      auth_time: now(),
      typ: 'ID',
      azp: 'chart-app',
      aud: 'chart-app',
      sub: '7f3c2d1e-5a4b',
      sid: 'f1d2',
      at_hash: 'MTIzNDU2Nzg5MA',
      acr: '1',
      fhirUser: 'Practitioner/d1',
    }),
  },
  {
    heading: 'Entra ID',
    header: { typ: 'JWT' },
    access: ({ user, patient, scope }) => ({
      aud: api,
      nbf: now(),
      azp: 'b1946ac9-2e0f',
      azpacr: '1',
      oid: '0f8fad5b-d9cb',
      rh: '0.AX0A',
      tid: tenant,
      sub: 'pairwise',
      uti: 'x',
      ver: '2.0',
      ...(patient && { 'extn.patient': [patient] }),
      ...(user && { 'extn.fhirUser': [user] }),
      ...(user || patient
        ? { scp: scope.replaceAll('/', '.') }
        : { idtyp: 'app', roles: scope.replaceAll('/', '.').split(' ') }),
    }),
    id: () => ({
      aud: 'b1946ac9-2e0f',
      nbf: now(),
      oid: '0f8fad5b-d9cb',
      sub: 'pairwise',
      tid: tenant,
      ver: '2.0',
      nonce: '678910',
      preferred_username: 'ann@clinic.example',
      name: 'Ann',
    }),
  },
  {
    heading: 'Okta',
    header: { typ: undefined as never },
    access: ({ user, patient, scope }) => ({
      ver: 1,
      jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
      aud: base,
      cid: '0oabskvc6442nkvQO0h7',
      scp: scope.split(' '),
      ...(user || patient
        ? { uid: '00u5t60iloOHN9pBi0h7', sub: 'ann@clinic.example' }
        : { sub: '0oabskvc6442nkvQO0h7' }),
      ...(patient && { patient }),
      ...(user && { fhirUser: user }),
    }),
    id: () => ({
      ver: 1,
      jti: 'ID.4eAWJOCMB3SX8XewDfVR',
      aud: '0oabskvc6442nkvQO0h7',
      sub: '00u5t60iloOHN9pBi0h7',
      amr: ['pwd'],
      idp: '00o1',
      nonce: 'YsG76j',
      auth_time: now(),
      at_hash: 'preview_at_hash',
    }),
  },
];

describe.each(all)('$heading', habits => {
  const { heading, header } = habits;
  let issuer: TestIssuer;
  let engine: RunningEngine;
  let folder: string;
  beforeAll(async () => {
    const settings = settingsFor(heading);
    const [one = {}] = settings.issuers;
    issuer = await startIssuer(new URL(String(one['issuer'])).pathname);
    folder = mkdtempSync(join(tmpdir(), 'issuers-'));
    const authorities = join(folder, 'ca.pem');
    writeFileSync(authorities, issuer.certificate ?? '');
    const here = { ...one, issuer: issuer.url, 'private-addresses': true, ca: authorities };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ ...settings, issuers: [here] }));
    const flags = [
      '--public-url',
      'https://ehr.example',
      '--port',
      '0',
      '--log',
      'off',
      '--access',
      'token',
      '--authorization-server',
      'off',
    ];
    const store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`, '--config', join(folder, 'settings.json')];
    engine = await startServer(readConfig([...flags, ...store]), undefined, { load: requireModel });
    await engine.engine.store.partitions.add('clinic', { zone: 'UTC' });
    await engine.engine.store.partitions.add('lab', { zone: 'UTC' });
    for (const name of ['clinic', 'lab']) {
      const partition = await engine.engine.store.partition(name);
      if (partition !== undefined)
        await put(partition, ['p1', 'p2'].map(id => ({ resourceType: 'Patient', id }))); // prettier-ignore
    }
  });
  afterAll(async () => {
    await engine.close();
    await issuer.close();
    rmSync(folder, { recursive: true });
  });

  const ask = async (token: string, path: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`http://127.0.0.1:${engine.port}/r4${path}`, { headers })).status;
  };

  it.each<[who: string, of: Parameters<Habits['access']>[0], statuses: number[]]>([
    ['a clinician', { user: 'Practitioner/d1', scope: 'user/Patient.rs' }, [200, 200, 200, 403]],
    ['a patient', { user: 'Patient/p1', patient: 'p1', scope: 'patient/Patient.rs' }, [200, 404, 200, 403]],
    ['a patient who says to be a clinician', { user: 'Patient/p1', scope: 'user/Patient.rs' }, [403, 403, 403, 403]],
    ['a system', { scope: 'system/Patient.rs' }, [200, 200, 200, 403]],
    ['a token with an unknown scope', { scope: 'unknown' }, [403, 403, 403, 403]],
  ])('an access token of %s', async (_, of, statuses) => {
    const token = await issuer.sign(habits.access(of), header);
    const paths = ['/clinic/Patient/p1', '/clinic/Patient/p2', '/clinic/Patient', '/clinic/Condition'];
    expect(await Promise.all(paths.map(path => ask(token, path)))).toEqual(statuses);
    expect(await ask(token, '/lab/Patient/p1')).toBe(401);
  });

  it('an ID token is refused, whatever it is made to say', async () => {
    const of = { user: 'Practitioner/d1', scope: 'user/Patient.rs' };
    const { aud = '', scope, scp, typ, azp, cid } = habits.access(of);
    for (const more of [{}, { aud }, { aud, scope, scp }]) {
      const claims: JWTPayload & Record<string, unknown> = { ...habits.id(), ...more };
      const withClient = { ...claims, azp, cid, typ: claims['typ'] ?? typ };
      expect(await ask(await issuer.sign(claims, header), '/clinic/Patient/p1')).toBe(401);
      expect(await ask(await issuer.sign(withClient, header), '/clinic/Patient/p1')).toBe(401);
    }
  });

  it('a token for another application is refused', async () => {
    const token = await issuer.sign({ ...habits.access({ scope: 'system/Patient.rs' }), aud: 'other' }, header);
    expect(await ask(token, '/clinic/Patient/p1')).toBe(401);
  });

  it('a token with the header of another kind is refused', async () => {
    const token = await issuer.sign(habits.access({ scope: 'system/Patient.rs' }), { typ: 'logout+jwt' });
    expect(await ask(token, '/clinic/Patient/p1')).toBe(401);
  });
});
