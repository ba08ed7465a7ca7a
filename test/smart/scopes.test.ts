// Scopes from the request of an app to what its token may do, over HTTP.
// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeScope } from '../../src/auth/describe-scope.ts';
import type { Permission } from '../../src/auth/describe-scope.ts';
import { Browser } from './support/browser.ts';
import { authorize, backendToken, exchange, read, refresh } from './support/flow.ts';
import type { LaunchOptions, TokenAnswer } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

let server: Authorizing;
let offered: readonly string[];
beforeAll(async () => {
  server = await authorizing();
  offered = server.running.engine.offered?.scopesSupported ?? [];
});
afterAll(() => server.close());

/** Browsers with a signed-in user. */
const browsers = new Map<string, Browser>();
const launchFor = async (scope: string, options: LaunchOptions = {}): Promise<TokenAnswer> => {
  const { user = 'clinician' } = options;
  const browser = browsers.get(user) ?? new Browser(server.running.url);
  browsers.set(user, browser);
  return exchange(server, await authorize(server, { scope, browser, ...options }));
};

/** What the redirect URI gets of a request that fails. */
const errorOf = async (scope: string | undefined, options: LaunchOptions = {}): Promise<Record<string, string>> => {
  const { answer, page } = await authorize(server, { ...options, query: { scope, ...options.query } });
  expect(page.status).toBeLessThan(400);
  return Object.fromEntries(answer);
};

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** What a token is answered where it does this to a type. */
async function tries(token: string, permission: Permission, type: string): Promise<number> {
  if (permission === 'create') {
    const visited = await new Browser(server.running.url).request('POST', `${server.base}/${type}`, undefined, {
      ...bearer(token),
      'Content-Type': 'application/fhir+json',
    });
    return visited.status; // 403 without the scope; 400 for the body that is missing
  }
  const path = permission === 'search' ? `/${type}` : `/${type}/${type === 'Patient' ? 'ann' : 'nothing'}`;
  return (await read(server, token, path)).status;
}
const answers: Partial<Record<Permission, readonly number[]>> = { create: [400], read: [200, 404], search: [200] };

describe('every scope in scopes_supported', () => {
  it('works: a token is had with it alone, and does what it says', async () => {
    expect(offered.length).toBeGreaterThan(20);
    for (const one of offered) {
      const isVisit = one === 'launch/encounter'; // which an EHR names with `launch`
      const scope = isVisit ? `launch ${one}` : one;
      const isSystem = scope.startsWith('system/');
      const encounter = isVisit ? 'visit' : undefined;
      const launch = scope.startsWith('launch ') || scope === 'launch' ? await server.launch({ encounter }) : undefined;
      const { status, json } = isSystem
        ? await backendToken(server, { scope })
        : await launchFor(scope, { query: { launch } });
      expect([scope, status, json.scope]).toEqual([scope, 200, scope]);
      const meaning = describeScope(scope, server.running.engine.model);
      const does = meaning.kind === 'resources' ? meaning : { permissions: [], resourceTypes: [] };
      for (const permission of does.permissions) {
        const [type = ''] = does.resourceTypes;
        const answer = await tries(json.access_token, permission, type);
        expect({ scope, permission, isRight: answers[permission]?.includes(answer) }).toMatchObject({ isRight: true });
      }
    }
  });

  it('does what else it is for', async () => {
    const all = 'openid fhirUser profile launch/patient offline_access';
    const { json } = await launchFor(all, { patient: 'bob' });
    expect(json).toMatchObject({ scope: all, patient: 'bob', refresh_token: expect.any(String) });
    expect(decodeJwt(json.id_token)).toMatchObject({
      fhirUser: `${server.base}/Practitioner/dr`,
      name: 'The user clinician',
    });
    expect((await read(server, json.access_token, '/Practitioner/dr')).status).toBe(200);
    const online = await launchFor('online_access user/Patient.rs');
    expect(online.json.refresh_token).toEqual(expect.any(String));
    expect((await launchFor('user/Patient.rs')).json).not.toHaveProperty('refresh_token');
  });
});

describe('a request fails with invalid_scope', () => {
  it.each([
    'patient/Observation.rs',
    'user/Media.cr',
    'patient/Basic.rs',
    'patient/*.d',
    'launch/encounter',
    'groups',
    'system/Patient.rs',
    'patient/Condition.sr',
    'patient/Condition.rs?nothing=a',
  ])('by redirect, before a page is shown: %s', async scope => {
    const error = await errorOf(`openid patient/Patient.rs ${scope}`);
    expect(error).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringContaining(scope),
      state: 'state-of-the-app',
      iss: server.issuer,
    });
    expect(error).not.toHaveProperty('code');
  });

  it.each([undefined, '', '  '])('where none is asked for: %j', async scope => {
    expect(await errorOf(scope)).toMatchObject({ error: 'invalid_scope', state: 'state-of-the-app' });
  });

  it('where the client is not registered for it', async () => {
    await server.addClient({ id: 'narrow', scopes: ['openid', 'patient/Patient.r'] });
    const error = await errorOf('openid patient/Patient.rs', { client: 'narrow' });
    expect(error).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.stringContaining('not registered'),
    });
    const options = { client: 'narrow', scope: 'openid patient/*.read' };
    const { json } = await exchange(server, await authorize(server, options), 'narrow');
    expect(json.scope).toBe('openid patient/Patient.r');
  });

  it.each(['patient', 'guest'])('`user/` scopes of %s, who is no clinician', async user => {
    for (const scope of ['openid user/Patient.rs', 'user/*.read']) {
      const error = await errorOf(scope, { user });
      expect(error).toMatchObject({ error: 'invalid_scope', state: 'state-of-the-app' });
    }
  });

  it.each([
    'system/Media.c',
    'system/MedicationRequest.rs',
    'system/Observation.cruds',
    'system/Basic.rs',
    'patient/Patient.rs',
    'openid',
    'offline_access',
    '',
    undefined,
  ])('of a backend client, in the token answer: %s', async scope => {
    const { status, headers, json } = await backendToken(server, { scope: scope && `system/Patient.rs ${scope}` });
    expect([status, json.error]).toEqual([400, 'invalid_scope']);
    expect(json.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });
});

describe('spaces', () => {
  it('may be several, and around the scopes: at the authorization, the refresh and for a backend service', async () => {
    const { status, json } = await launchFor('  openid   patient/Patient.rs  offline_access ');
    expect([status, json.scope]).toEqual([200, 'openid patient/Patient.rs offline_access']);
    const next = await refresh(server, json.refresh_token, { scope: ' patient/Patient.rs  openid ' });
    expect([next.status, next.json.scope.split(' ').toSorted()]).toEqual([200, ['openid', 'patient/Patient.rs']]);
    const backend = await backendToken(server, { scope: ' system/Patient.rs   system/Condition.r ' });
    expect([backend.status, backend.json.scope]).toEqual([200, 'system/Patient.rs system/Condition.r']);
  });
});

describe('what is narrowed', () => {
  it('is in the answer, and is what the token permits', async () => {
    const { json } = await launchFor('patient/*.read user/*.*');
    expect(json.scope).toBe('patient/*.read user/*.crs');
    expect((await read(server, json.access_token, '/MedicationRequest')).status).toBe(200);
    expect((await read(server, json.access_token, '/Observation')).status).toBe(403);
  });

  it('of systems as well', async () => {
    const { json } = await backendToken(server, { scope: 'system/*.rs' });
    expect(json.scope).toBe('system/*.rs');
    expect((await read(server, json.access_token, '/Observation')).status).toBe(200);
  });

  it('reads but does not search: patient/Patient.r', async () => {
    const { json } = await launchFor('patient/Patient.r', { patient: 'ann' });
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(200);
    expect((await read(server, json.access_token, '/Patient?_id=ann')).status).toBe(403);
  });

  it('by a search: only what it finds', async () => {
    const { json } = await launchFor('user/Patient.rs?birthdate=1990-03-04');
    expect(json.scope).toBe('user/Patient.rs?birthdate=1990-03-04');
    expect((await read(server, json.access_token, '/Patient/bob')).status).toBe(200);
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(404);
  });

  it('by a refresh, never widened', async () => {
    const granted = 'offline_access patient/Patient.rs patient/Condition.r';
    const { json: first } = await launchFor(granted);
    const narrow = await refresh(server, first.refresh_token, { scope: 'patient/Condition.r' });
    expect([narrow.status, narrow.json.scope]).toEqual([200, 'patient/Condition.r']);
    expect((await read(server, narrow.json.access_token, '/Patient/ann')).status).toBe(403);
    const whole = await refresh(server, narrow.json.refresh_token);
    expect([whole.status, whole.json.scope]).toEqual([200, granted]);
    const wide = await refresh(server, whole.json.refresh_token, { scope: 'patient/Condition.rs' });
    expect([wide.status, wide.json.error]).toEqual([400, 'invalid_scope']);
  });
});
