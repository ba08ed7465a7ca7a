import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from './support/browser.ts';
import {
  authorize,
  authorizeUrl,
  backendToken,
  exchange,
  follow,
  goOn,
  launchApp,
  pkce,
  read,
  usualScope,
} from './support/flow.ts';
import { authorizing, callback } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html
let server: Authorizing;
beforeAll(async () => {
  server = await authorizing();
});
afterAll(() => server.close());

const ehrScope = 'launch openid fhirUser offline_access patient/Patient.rs';

describe('a standalone launch', () => {
  it.each(['app', 'secret-app', 'signing-app'])('gives %s a token for the patient who was chosen', async client => {
    const { status, headers, json } = await launchApp(server, { client, patient: 'bob' });
    expect(json).toEqual({
      access_token: expect.stringMatching(/^crs_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: usualScope,
      refresh_token: expect.any(String),
      id_token: expect.any(String),
      patient: 'bob',
      need_patient_banner: true,
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect((await read(server, json.access_token, '/Patient/bob')).status).toBe(200);
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(404);
    expect(decodeProtectedHeader(json.id_token).alg).toBe('RS256');
    const claims = { iss: server.issuer, sub: 'clinician', aud: client, fhirUser: `${server.base}/Practitioner/dr` };
    expect(decodeJwt(json.id_token)).toMatchObject(claims);
    expect((await read(server, json.access_token, '/Practitioner/dr')).status).toBe(200);
  });

  it('gives a user who is a patient that patient, and no choice', async () => {
    const browser = new Browser(server.running.url);
    const { challenge, verifier } = pkce();
    const signIn = await browser.open(authorizeUrl(server, challenge));
    const next = await goOn(browser, signIn, { user: 'patient' });
    expect(next.url.pathname).toMatch(/\/consent$/);
    const { url } = await goOn(browser, next);
    const { json } = await exchange(server, { answer: url.searchParams, verifier });
    expect(json.patient).toBe('ann');
  });

  it('gives no patient, no ID token and no refresh token where none is asked for', async () => {
    const { json } = await launchApp(server, { scope: 'user/Patient.rs' });
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'user/Patient.rs',
    });
  });

  it('requires no password of a signed-in user, but consent again', async () => {
    const { browser } = await authorize(server);
    const names = new Set([...browser.cookies.keys()].map(key => key.split(' ')[0]));
    names.delete('crs_interaction.sig');
    expect(names).toEqual(new Set(['crs_browser', 'crs_session', 'crs_interaction'])); // no second session beside ours
    const page = await browser.open(authorizeUrl(server, pkce().challenge, { scope: 'user/Patient.rs' }));
    expect(page.url.pathname).toMatch(/\/consent$/);
  });

  it.each<[why: string, query: Record<string, string>]>([
    ['prompt=login', { prompt: 'login' }],
    ['another account is to be chosen', { prompt: 'select_account' }],
    ['max_age=0', { max_age: '0' }],
  ])('asks to sign in again where the app wants it: %s', async (_, query) => {
    const { browser } = await authorize(server);
    server.clock.now += 1_000;
    const page = await browser.open(authorizeUrl(server, pkce().challenge, { query }));
    expect(page.url.pathname).toMatch(/\/sign-in$/);
    server.clock.now += 1_000;
    const next = await goOn(browser, page);
    expect(next.url.pathname).toMatch(/\/patient$/); // once is enough
    server.clock.now += 1_000;
    expect((await goOn(browser, next)).url.pathname).toMatch(/\/consent$/);
  });

  it('says so where the app wants no page', async () => {
    const { answer } = await authorize(server, { query: { prompt: 'none' } });
    expect(Object.fromEntries(answer)).toMatchObject({ error: 'login_required', state: 'state-of-the-app' });
  });

  it('leaves out what the user does not tick, and says so', async () => {
    const { json } = await launchApp(server, { without: ['patient/Condition.rs'] });
    expect(json.scope.split(' ')).not.toContain('patient/Condition.rs');
    expect(json.scope.split(' ')).toContain('patient/Patient.rs');
  });
});

describe('an EHR launch', () => {
  it('gives the app what the EHR said', async () => {
    const launch = await server.launch({ encounter: 'visit', intent: 'reconcile', needPatientBanner: false });
    const { json } = await launchApp(server, { scope: ehrScope, query: { launch } });
    expect(json).toMatchObject({
      scope: ehrScope,
      patient: 'ann',
      encounter: 'visit',
      intent: 'reconcile',
      need_patient_banner: false,
    });
  });

  it('grants launch/encounter where the EHR names an encounter, and leaves it out where it names none', async () => {
    const scope = `${ehrScope} launch/encounter`;
    const visit = await server.launch({ encounter: 'visit' });
    const { json } = await launchApp(server, { scope, query: { launch: visit } });
    expect(json).toMatchObject({ scope, patient: 'ann', encounter: 'visit' });
    const none = await launchApp(server, { scope, query: { launch: await server.launch() } });
    expect(none.json.scope).toBe(ehrScope);
    expect(none.json).not.toHaveProperty('encounter');
  });

  it('asks who the patient is where the EHR has none open', async () => {
    const launch = await server.launch({ patient: undefined });
    const { json } = await launchApp(server, { scope: ehrScope, query: { launch }, patient: 'bob' });
    expect(json.patient).toBe('bob');
  });

  it('is good once', async () => {
    const launch = await server.launch();
    await launchApp(server, { scope: ehrScope, query: { launch } });
    const { answer, page } = await authorize(server, { scope: ehrScope, query: { launch } });
    expect(answer.get('error')).toBe('invalid_request');
    expect(page.status).toBe(303);
  });

  it('is over after five minutes', async () => {
    const launch = await server.launch();
    server.clock.now += 300_000;
    const { answer } = await authorize(server, { scope: ehrScope, query: { launch } });
    expect(answer.get('error')).toBe('invalid_request');
  });

  it.each<[whose: string, more: Parameters<Authorizing['launch']>[0]]>([
    ['client', { client: 'secret-app' }],
    ['partition', { partition: 'other' }],
    ['user', { user: 'patient' }],
  ])('of another %s is refused', async (_, more) => {
    const launch = await server.launch(more);
    const { answer } = await authorize(server, { scope: ehrScope, query: { launch } });
    expect(Object.fromEntries(answer)).toMatchObject({ error: 'invalid_request', state: 'state-of-the-app' });
  });

  it('of one user stays good when another one tries it', async () => {
    const launch = await server.launch({ user: 'patient' });
    await authorize(server, { scope: ehrScope, query: { launch } });
    const { json } = await launchApp(server, { scope: ehrScope, query: { launch }, user: 'patient' });
    expect(json.patient).toBe('ann');
  });

  it('gives a patient no other patient', async () => {
    const launch = await server.launch({ user: 'patient', patient: 'bob' });
    const { answer } = await authorize(server, { scope: ehrScope, query: { launch }, user: 'patient' });
    expect(answer.get('error')).toBe('invalid_request');
  });
});

describe('the authorization endpoint', () => {
  it('takes by POST what it takes by GET, as long as it may be there', async () => {
    const { verifier, challenge } = pkce();
    const state = 's'.repeat(12_000);
    const { origin, pathname, searchParams } = new URL(authorizeUrl(server, challenge, { query: { state } }));
    const browser = new Browser(server.running.url);
    const begun = await browser.request('POST', `${origin}${pathname}`, searchParams);
    expect(begun.status).toBe(303);
    expect(begun.headers.location).toMatch(new RegExp(`^${server.issuer}/interaction/[\\w-]+$`));
    const { url } = await follow(server, browser, begun.headers.location ?? '');
    expect([url.searchParams.get('state'), url.searchParams.has('code')]).toEqual([state, true]);
    expect((await exchange(server, { answer: url.searchParams, verifier })).status).toBe(200);
  });

  it('refuses by POST what it refuses by GET', async () => {
    const at = new URL(authorizeUrl(server, pkce().challenge, { query: { aud: 'https://other.example' } }));
    const answers = await Promise.all([
      new Browser(server.running.url).request('GET', at),
      new Browser(server.running.url).request('POST', `${at.origin}${at.pathname}`, at.searchParams),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(answers[1]?.headers.location).toBe(answers[0]?.headers.location);
  });

  it('refuses a form on a page that is longer than a URL may be, or is none', async () => {
    const browser = new Browser(server.running.url);
    const long = new URLSearchParams({ client_id: 'app', state: 's'.repeat(16_384) });
    const answer = await browser.request('POST', `${server.issuer}/authorize`, long);
    expect([answer.status, answer.headers['content-type']]).toEqual([413, expect.stringContaining('text/html')]);
    const json = { 'Content-Type': 'application/json' };
    expect((await browser.request('POST', `${server.issuer}/authorize`, long, json)).status).toBe(400);
  });

  it.each<[why: string, query: Record<string, string | undefined>, error: string]>([
    ['no aud', { aud: undefined }, 'invalid_target'],
    ['aud of another server', { aud: 'https://other.example/r4/demo' }, 'invalid_target'],
    ['aud of no partition', { aud: 'BASE/../nowhere' }, 'invalid_target'],
    ['aud of a partition that the client does not have', { aud: 'OTHER' }, 'invalid_target'],
    ['aud below the base', { aud: 'BASE/Patient' }, 'invalid_target'],
    ['two that differ', { resource: 'OTHER' }, 'invalid_target'],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['PKCE without a method, which is plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['another response type', { response_type: 'none' }, 'unsupported_response_type'],
    ['a form as the answer', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['a fragment as the answer', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['the URL of a request object', { request_uri: 'https://app.example/request' }, 'request_uri_not_supported'],
    ['a client that registers itself', { registration: '{}' }, 'registration_not_supported'],
    ['an ID token of another issuer', { id_token_hint: 'e30.e30.' }, 'invalid_request'],
    ['an age that is none', { max_age: '-1' }, 'invalid_request'],
    ['no page, where one is needed', { prompt: 'none' }, 'login_required'],
    ['no scope', { scope: undefined }, 'invalid_scope'],
    ['a scope that does not exist', { scope: 'launch/patient patient/Observation.rs' }, 'invalid_scope'],
    ['a scope of a backend service', { scope: 'system/Patient.rs' }, 'invalid_scope'],
    ['a launch value that is unknown', { scope: ehrScope, launch: 'unknown' }, 'invalid_request'],
    ['launch without a value', { scope: ehrScope }, 'invalid_scope'],
  ])('refuses by redirect, before a page: %s', async (_, query, error) => {
    const places = Object.entries(query).map(([name, value]) => [
      name,
      value?.replace('BASE', server.base).replace('OTHER', `${server.running.url}/r4/other`),
    ]);
    const { answer } = await authorize(server, { query: Object.fromEntries(places) });
    expect(Object.fromEntries(answer)).toMatchObject({ error, state: 'state-of-the-app' });
    expect(answer.get('error_description')).toMatch(/^[A-Z][\x20\x21\x23-\x5b\x5d-\x7e]{20,}\.$/); // a sentence
    expect(answer.has('code')).toBe(false);
  });

  it.each<[why: string, query: Record<string, string | undefined>]>([
    ['a client that is not registered', { client_id: 'nobody' }],
    ['no client', { client_id: undefined }],
    ['a client that acts for itself alone', { client_id: 'backend' }],
    ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/callback' }],
    ['a redirect URI with another port', { redirect_uri: 'http://localhost:3001/callback' }],
    ['a redirect URI with more behind it', { redirect_uri: `${callback}?more=1` }],
    ['no redirect URI', { redirect_uri: undefined }],
  ])('refuses on a page, without a redirect: %s', async (_, query) => {
    const page = await new Browser(server.running.url).request('GET', authorizeUrl(server, 'c'.repeat(43), { query }));
    expect(page.status).toBe(400);
    expect(page.headers.location).toBeUndefined();
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.text).toContain('href="/auth/authorize?'); // the same in another language
  });

  it.each<[form: string, query: Record<string, string | undefined>]>([
    ['a slash at the end', { aud: 'BASE/' }],
    ['the synonym resource', { aud: undefined, resource: 'BASE' }],
    ['both', { resource: 'BASE/' }],
  ])('takes the partition with %s', async (_, query) => {
    const places = Object.entries(query).map(([name, value]) => [name, value?.replace('BASE', server.base)]);
    const { json } = await launchApp(server, { query: Object.fromEntries(places) });
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(200);
  });

  it('refuses user/ scopes of who is no clinician, and a user whom the partition does not have', async () => {
    await server.addUser({ id: 'stranger', partitions: [{ id: 'other', fhirUser: undefined }] });
    const scope = 'user/Patient.rs';
    expect((await authorize(server, { scope, user: 'patient' })).answer.get('error')).toBe('invalid_scope');
    expect((await authorize(server, { scope, user: 'guest' })).answer.get('error')).toBe('invalid_scope');
    const stranger = await authorize(server, { user: 'stranger' });
    expect(stranger.answer.get('code')).toBeNull();
  });

  it('grants a scope with a search as it is written', async () => {
    const search = 'category=http://terminology.hl7.org/CodeSystem/condition-category|problem-list-item';
    const scope = `launch/patient patient/Condition.rs?${search}`;
    const { json } = await launchApp(server, { scope });
    expect(json.scope).toBe(scope);
    expect((await read(server, json.access_token, '/Condition?patient=ann')).status).toBe(200);
  });

  it('is nothing to another browser than the one that it began in', async () => {
    const [mine, other] = [new Browser(server.running.url), new Browser(server.running.url)];
    const page = await mine.open(authorizeUrl(server, pkce().challenge));
    const theirs = await other.open(page.url);
    expect([theirs.status, theirs.text.includes('name="password"')]).toEqual([404, false]);
    const uid = page.url.pathname.split('/').at(-2) ?? '';
    const resumed = await other.request('GET', `${server.issuer}/authorize/${uid}`);
    expect([resumed.status, resumed.headers.location]).toEqual([400, undefined]);
    expect(resumed.headers['content-type']).toContain('text/html');
    expect((await goOn(mine, page)).url.pathname).toMatch(/\/patient$/); // and still there for its own
  });

  it('gives no code before the user has agreed', async () => {
    const browser = new Browser(server.running.url);
    const page = await browser.open(authorizeUrl(server, pkce().challenge));
    const uid = page.url.pathname.split('/').at(-2) ?? '';
    const early = await browser.request('GET', `${server.issuer}/authorize/${uid}`);
    expect(early.headers.location).toMatch(/\/auth\/interaction\//); // begins again
  });

  it('narrows wildcards and version 1 forms, and says so in the version that was asked for', async () => {
    const { json } = await launchApp(server, { scope: 'launch/patient patient/*.cruds' });
    expect(json.scope).toBe('launch/patient patient/*.rs');
    expect((await launchApp(server, { scope: 'launch/patient patient/Condition.read' })).json.scope).toBe(
      'launch/patient patient/Condition.read',
    );
  });
});

describe('a redirect URI of a loopback address', () => {
  const native = { redirectUris: ['http://127.0.0.1/callback', 'http://[::1]/back?of=app'] };
  beforeAll(() => server.addClient({ id: 'native', ...native }));

  it.each([
    'http://127.0.0.1:51004/callback',
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:65535/back?of=app',
  ])('that is registered without a port may have each: %s', async redirect_uri => {
    const verifiers = { client: 'native', query: { redirect_uri } };
    const authorized = await authorize(server, verifiers);
    const { page } = authorized;
    expect(page.url.href.startsWith(redirect_uri)).toBe(true);
    const answer = page.url.searchParams;
    const { status } = await exchange(server, { ...authorized, answer }, 'native', { redirect_uri });
    expect(status).toBe(200);
    const other = await authorize(server, verifiers);
    const late = { ...other, answer: other.page.url.searchParams };
    const { json } = await exchange(server, late, 'native', { redirect_uri: 'http://127.0.0.1:51005/callback' });
    expect(json.error).toBe('invalid_grant'); // the token request names the same port
  });

  it.each([
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/callback?more=1',
    'http://127.0.0.2:51004/callback',
    'http://localhost:51004/callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:080/callback',
    'http://127.0.0.1:/callback',
    'https://127.0.0.1:51004/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.0.0.1:1.evil.example/callback',
    'http://127.0.0.1:1/@evil.example/callback',
  ])('is otherwise compared character by character: %s', async redirect_uri => {
    const url = authorizeUrl(server, 'c'.repeat(43), { client: 'native', query: { redirect_uri } });
    const { status, headers } = await new Browser(server.running.url).request('GET', url);
    expect([status, headers.location]).toEqual([400, undefined]);
  });

  it('that is registered with a port has no other', async () => {
    await server.addClient({ id: 'fixed', redirectUris: ['http://127.0.0.1:3000/callback'] });
    const query = { redirect_uri: 'http://127.0.0.1:3001/callback' };
    const url = authorizeUrl(server, 'c'.repeat(43), { client: 'fixed', query });
    expect((await new Browser(server.running.url).request('GET', url)).status).toBe(400);
  });
});

describe('a mistake in the addresses of an app', () => {
  const lines: string[] = [];
  let own: Authorizing;
  beforeAll(async () => {
    own = await authorizing({ write: line => lines.push(line) });
    await own.addClient({ id: 'two', redirectUris: ['https://a.example/x', 'https://b.example/x'] });
  });
  afterAll(() => own.close());

  it('of the redirect URI is on the page and in the log, with what is registered', async () => {
    const query = { redirect_uri: 'https://a.example/y' };
    const url = authorizeUrl(own, 'c'.repeat(43), { client: 'two', query });
    const { text } = await new Browser(own.running.url).request('GET', url);
    const why =
      "The parameter 'redirect_uri' is 'https://a.example/y', but the client 'two' is registered for " +
      "'https://a.example/x', 'https://b.example/x'.";
    expect(text.replaceAll('&#39;', "'")).toContain(why);
    expect(lines.join('')).toContain(why);
  });

  it('of `aud` is in the answer and in the log, with what is registered', async () => {
    const { answer } = await authorize(own, { query: { aud: `${own.running.url}/r4` } });
    const why =
      `The parameter 'aud' is '${own.running.url}/r4', but must be the FHIR base URL of a partition that the client ` +
      `'app' is registered for: '${own.base}'.`;
    expect(answer.get('error_description')).toBe(why);
    expect(lines.join('')).toContain(why);
    const { answer: none } = await authorize(own, { query: { aud: undefined } });
    expect(none.get('error_description')).toContain(`is missing: it must be the FHIR base URL`);
    expect(none.get('error_description')).toContain(own.base);
  });

  it('of `resource` too, where a backend service has several partitions', async () => {
    const { json } = await backendToken(own, { resource: `${own.running.url}/r4/none` });
    expect(json).toMatchObject({
      error: 'invalid_target',
      error_description: expect.stringContaining(`is '${own.running.url}/r4/none', but must be`),
    });
  });
});

describe('the consent', () => {
  it.each([
    ['https://b.example/x', 'b.example'],
    ['http://127.0.0.1:51004/callback', '127.0.0.1:51004'],
    ['com.example.app://callback', 'com.example.app:'],
  ])('names where the user will be sent, also if the app has several addresses: %s', async (redirect_uri, where) => {
    const redirectUris = ['https://a.example/x', 'https://b.example/x', 'http://127.0.0.1/callback'];
    await server.addClient({ id: 'several', redirectUris: [...redirectUris, 'com.example.app://callback'] });
    const browser = new Browser(server.running.url);
    let page = await browser.open(
      authorizeUrl(server, pkce().challenge, { client: 'several', query: { redirect_uri } }),
    );
    while (!page.url.pathname.endsWith('/consent')) page = await goOn(browser, page);
    expect(page.text).toContain(`You will be sent to ${where}<`);
  });
});

describe('behind a proxy that speaks https', () => {
  it.each(['https://ehr.example', 'https://ehr.example/fhir'])(
    '%s has links of its own, and secure cookies',
    async url => {
      const proxied = await authorizing({ flags: ['--public-url', url, '--trusted-proxies', '127.0.0.1'] });
      try {
        const { search } = new URL(authorizeUrl({ ...proxied, base: `${url}/r4/demo` }, pkce().challenge));
        const browser = new Browser(`http://127.0.0.1:${proxied.running.port}`);
        const { status, headers } = await browser.request('GET', `/auth/authorize${search}`);
        expect(status).toBe(303);
        const location = headers.location ?? '';
        expect(location.slice(0, location.lastIndexOf('/'))).toBe(`${url}/auth/interaction`);
        const uid = location.slice(location.lastIndexOf('/') + 1);
        const below = new URL(url).pathname.replace(/\/$/, '');
        const cookies = headers['set-cookie']?.map(cookie =>
          cookie.replace(/ expires=[^;]*;/, '').replace(/\.sig=[\w-]{27};/, '.sig;'),
        );
        expect(cookies).toEqual([
          `__Secure-crs_interaction=${uid}; path=${below}/auth/interaction/${uid}; samesite=lax; secure; httponly`,
          `__Secure-crs_interaction.sig; path=${below}/auth/interaction/${uid}; samesite=lax; secure; httponly`,
          `__Secure-crs_resume=${uid}; path=${below}/auth/authorize/${uid}; samesite=lax; secure; httponly`,
          `__Secure-crs_resume.sig; path=${below}/auth/authorize/${uid}; samesite=lax; secure; httponly`,
        ]);
      } finally {
        await proxied.close();
      }
    },
  );
});
