import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientCollection, userCollection } from '../../src/smart/accounts/registry.ts';
import { revocationCollection, revoke } from '../../src/auth/token/revocations.ts';
import { Browser } from './support/browser.ts';
import type { Visited } from './support/browser.ts';
import { authorize, authorizeUrl, exchange, follow, goOn, pkce } from './support/flow.ts';
import { authorizing, callback, password } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// Attacks that must fail, and where each is tested; here those on the way to a code that are in no other file.
//
// code and refresh replay                  tokens, refresh and processes.test.ts
// redirect_uri and `aud` mismatch          launch and tokens.test.ts, here, attacks-token.test.ts
// PKCE missing, plain or wrong             launch and tokens.test.ts, attacks-token.test.ts
// launch value of another session, twice   launch and two-processes.test.ts, here
// scope escalation on refresh              refresh and scopes.test.ts, attacks-token.test.ts
// client assertion replayed, expired, for
//   another audience, by another key       backend.test.ts, attacks-token.test.ts
// CSRF and clickjacking on every page      pages/security.test.ts, pages/browser/attacks.test.ts, here
// open redirect                            here, pages/security.test.ts
// account enumeration                      sign-in and password.test.ts, attacks-traces.test.ts, pages/security.test.ts
// password guessing                        two-processes.test.ts, attacks-traces.test.ts, pages/security.test.ts
// session fixation                         pages/security.test.ts, two-processes.test.ts
// https://www.rfc-editor.org/rfc/rfc9700
let server: Authorizing;
/** A browser with a signed-in user. */
let known: Browser;
beforeAll(async () => {
  server = await authorizing({ second: true });
  known = new Browser(server.running.url);
  await until(known, '/consent');
});
afterAll(() => server.close());

const begin = (browser: Browser, query: Readonly<Record<string, string>> = {}): Promise<Visited> =>
  browser.open(authorizeUrl(server, pkce().challenge, { query }));

/** As far as the page ends so. */
async function until(browser: Browser, ending: string, user = 'clinician'): Promise<Visited> {
  let page = await begin(browser);
  while (!page.url.pathname.endsWith(ending)) page = await goOn(browser, page, { user });
  return page;
}

const over = { status: 404, text: expect.stringContaining('This request has expired') };
const hasCode = ({ url }: Visited): boolean => url.searchParams.has('code');

describe('parameter pollution', () => {
  it.each([
    ['client_id', 'other-app'],
    ['redirect_uri', 'https://evil.example/callback'],
    ['scope', 'patient/*.cruds'],
    ['state', 'another'],
    ['response_type', 'token'],
    ['response_mode', 'fragment'],
    ['code_challenge', 'c'.repeat(43)],
    ['code_challenge_method', 'plain'],
    ['launch', 'another'],
    ['prompt', 'none'],
    ['aud', 'https://evil.example/r4/demo'],
  ])('a second `%s`, before or behind the first, gives no code', async (name, value) => {
    const url = new URL(authorizeUrl(server, pkce().challenge));
    const first = url.searchParams.get(name) ?? 'x';
    for (const values of [
      [first, value],
      [value, first],
    ]) {
      url.searchParams.delete(name);
      for (const one of values) url.searchParams.append(name, one);
      const page = await follow(server, new Browser(server.running.url), url);
      expect(hasCode(page)).toBe(false);
      expect(page.url.origin).not.toContain('evil');
      const reported =
        page.url.origin === server.running.url ? String(page.status) : page.url.searchParams.get('error');
      expect(reported).toMatch(/^(?:400|invalid_.*|unsupported_.*)$/);
    }
  });

  it('a form with a parameter twice goes no further', async () => {
    const form = new URL(authorizeUrl(server, pkce().challenge)).searchParams;
    form.append('redirect_uri', 'https://evil.example/callback');
    const answer = await new Browser(server.running.url).request('POST', `${server.issuer}/authorize`, form);
    expect(answer.status).toBe(400);
    expect(answer.headers.location).toBeUndefined();
  });
});

describe('open redirect', () => {
  it.each([
    `${callback}/`,
    `${callback}/../evil`,
    `${callback}%2f`,
    `${callback}#`,
    `${callback}?`,
    'HTTP://localhost:3000/callback',
    'http://LOCALHOST:3000/callback',
    'http://localhost:3000@evil.example/callback',
    'http://localhost:3000.evil.example/callback',
    'http://localhost:3000\\@evil.example/callback',
    'http://127.0.0.1:3000/callback',
    'https://localhost:3000/callback',
    '//evil.example/callback',
    'javascript:alert(1)//http://localhost:3000/callback',
    `${callback}\r\nSet-Cookie: a=b`,
    ` ${callback}`,
  ])('leads nowhere, for it is not the registered address: %j', async redirect_uri => {
    const url = authorizeUrl(server, pkce().challenge, { query: { redirect_uri } });
    const page = await new Browser(server.running.url).request('GET', url);
    expect(page.status).toBe(400);
    expect(page.headers).not.toHaveProperty('location');
    expect(page.headers).not.toHaveProperty('refresh');
    expect(page.headers['set-cookie']?.join() ?? '').not.toContain('a=b');
  });

  it('is none behind a consent: the address cannot be changed by then', async () => {
    const browser = new Browser(server.running.url);
    const page = await until(browser, '/consent');
    const evil = 'https://evil.example/callback';
    const end = await browser.submit(page, '/consent', {
      scope: ['patient/Patient.rs'],
      redirect_uri: evil,
      url: evil,
    });
    expect(end.url.origin).toBe('http://localhost:3000');
  });
});

describe('mix-up of authorization servers', () => {
  it('fails, since codes and errors say whose they are', async () => {
    const { answer } = await authorize(server);
    const refused = await authorize(server, { scope: 'nonsense' });
    expect([answer.get('iss'), refused.answer.get('iss')]).toEqual([server.issuer, server.issuer]);
    const discovered = await new Browser(server.running.url).request(
      'GET',
      `${server.issuer}/.well-known/openid-configuration`,
    );
    expect(JSON.parse(discovered.text)).toMatchObject({ authorization_response_iss_parameter_supported: true });
  });

  it('is not detected for an app that asks for no `iss`, which the metadata says then', async () => {
    const supported = async (): Promise<unknown> => {
      const { text } = await new Browser(server.running.url).request(
        'GET',
        '/.well-known/oauth-authorization-server/auth',
      );
      return (JSON.parse(text) as Record<string, unknown>)['authorization_response_iss_parameter_supported'];
    };
    await server.addClient({ id: 'reloaded', responseIss: false });
    server.clock.now += 5_000;
    const options = { client: 'reloaded', query: { state: 'a b&iss=c' } };
    const { answer } = await authorize(server, options);
    expect([...answer.keys()]).toEqual(['code', 'state']);
    expect(answer.get('state')).toBe('a b&iss=c');
    const refused = await authorize(server, { ...options, scope: 'nonsense' });
    expect([refused.answer.get('error'), refused.answer.has('iss')]).toEqual(['invalid_scope', false]);
    expect((await authorize(server)).answer.get('iss')).toBe(server.issuer);
    expect(await supported()).toBe(false);
    await server.store.documents(clientCollection).delete('reloaded');
    server.clock.now += 5_000;
    expect(await supported()).toBe(true);
  });
});

describe('what a request asks beside', () => {
  it.each<[why: string, query: Record<string, string>]>([
    ['a request object elsewhere, which is not fetched', { request_uri: 'http://127.0.0.1:9/request.jwt' }],
    ['a client that registers itself', { registration: '{"redirect_uris":["https://evil.example/"]}' }],
    ['an answer in a JWT', { response_mode: 'query.jwt' }],
    ['an answer by postMessage', { response_mode: 'web_message' }],
    ['a token in the answer', { response_type: 'code token' }],
    ['an ID token in the answer', { response_type: 'code id_token' }],
    ['an unsigned ID token as a hint', { id_token_hint: 'e30.e30.e30' }],
    ['no page at all', { prompt: 'none' }],
    ['no page, for a user whom it names', { prompt: 'none', login_hint: 'clinician' }],
  ])('gives no code: %s', async (_, query) => {
    const page = await begin(known, query);
    expect(hasCode(page)).toBe(false);
    expect(page.url.hash).not.toMatch(/code=|token=/);
    expect(`${page.url.search}${page.url.hash}`).toMatch(/[?#&]error=\w/);
  });

  it('is not granted by `claims`, and no user is signed in by `login_hint`', async () => {
    const claims = JSON.stringify({ id_token: { name: { essential: true }, sub: { value: 'patient' } } });
    const query = { claims, login_hint: 'patient' };
    const { json } = await exchange(server, await authorize(server, { query }));
    const payload: unknown = JSON.parse(Buffer.from(json.id_token.split('.')[1], 'base64url').toString());
    expect(payload).toMatchObject({ sub: 'clinician' });
    expect(payload).not.toHaveProperty('name');
  });

  it('comes back as it was, or is too long for an address', async () => {
    const odd = '\u{1F480} <script>&"\'\r\n%00+ ';
    const { answer } = await authorize(server, { query: { state: odd, nonce: odd } });
    expect(answer.get('state')).toBe(odd);
    expect(answer.has('code')).toBe(true);
    const long = 'x'.repeat(2_000);
    expect((await authorize(server, { query: { state: long, nonce: long } })).answer.get('state')).toBe(long);
    const tooLong = await new Browser(server.running.url).request(
      'GET',
      authorizeUrl(server, pkce().challenge, { query: { state: 'x'.repeat(60_000) } }),
    );
    expect([414, 431]).toContain(tooLong.status);
  });
});

describe('text of an attacker', () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>\'`\r\nX-Evil: yes';
  it.each(['client_id', 'redirect_uri', 'state', 'ui_locales', 'login_hint', 'nonsense', 'response_type'])(
    'is on no page unescaped: %s',
    async name => {
      const query = { redirect_uri: 'https://evil.example/', [name]: evil };
      const page = await new Browser(server.running.url).request(
        'GET',
        authorizeUrl(server, 'c'.repeat(43), { query }),
      );
      expect(page.status).toBe(400);
      expect(page.text).not.toMatch(/<script>alert|<img src=x|onerror=alert\(1\)>/);
      expect(page.headers).not.toHaveProperty('x-evil');
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  it.each([`patient/Patient.rs\r\nSet-Cookie: a=b`, `openid ${evil}`, 'launch/patient\u0000'])(
    'as a scope goes back to the app as an error alone: %j',
    async scope => {
      const page = await begin(new Browser(server.running.url), { scope });
      expect(page.url.origin).toBe('http://localhost:3000');
      expect(page.url.searchParams.get('error')).toBe('invalid_scope');
      expect(page.url.searchParams.get('error_description')).toMatch(/^[\x20-\x7e]*$/);
      expect(page.headers).not.toHaveProperty('x-evil');
    },
  );
});

describe('text of a scope', () => {
  it('is escaped on the page', async () => {
    const scope = 'launch/patient patient/Patient.rs?name=<script>alert(1)</script>';
    const browser = new Browser(server.running.url);
    let page = await begin(browser, { scope });
    while (!page.url.pathname.endsWith('/consent')) page = await goOn(browser, page);
    expect(page.text).toContain('&lt;script&gt;alert(1)');
    expect(page.text).not.toContain('<script>alert');
  });
});

describe('host header injection', () => {
  it('changes no address that we give', async () => {
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'host=evil.example;proto=https',
      'X-Original-URL': '/auth/launcher',
    };
    const browser = new Browser(server.running.url);
    const begun = await browser.request('GET', authorizeUrl(server, pkce().challenge), undefined, headers);
    expect(begun.status).toBe(303);
    expect(begun.headers.location).toMatch(new RegExp(`^${server.issuer}/interaction/`));
    expect(begun.headers['set-cookie']?.join()).not.toContain('evil.example');
    const end = await follow(server, browser, begun.headers.location ?? '');
    expect([end.url.origin, hasCode(end)]).toEqual(['http://localhost:3000', true]);
    const at = [
      begun.headers.location ?? '',
      '/auth/sign-in',
      '/auth/.well-known/openid-configuration',
      '/r4/demo/.well-known/smart-configuration',
      '/r4/demo/metadata',
    ];
    for (const address of at) {
      const { text, headers: answered } = await browser.request('GET', address, undefined, headers);
      expect(text).not.toContain('evil.example');
      expect(JSON.stringify(answered)).not.toContain('evil.example');
    }
  });
});

describe('the interaction of another browser', () => {
  /** A browser of an attacker who knows the address of the page, and puts into cookies what it says. */
  const forged = (page: Visited): Browser => {
    const browser = new Browser(server.running.url);
    const uid = page.url.pathname.split('/')[3] ?? '';
    for (const name of ['crs_interaction', 'crs_resume', 'crs_interaction.sig', 'crs_resume.sig'])
      for (const path of ['/auth/interaction', '/auth/authorize', '/'])
        browser.cookies.set(`${name} ${path}`, { value: name.endsWith('.sig') ? 'A'.repeat(27) : uid, path });
    return browser;
  };

  it('cannot be opened by who knows its address alone', async () => {
    const page = await until(new Browser(server.running.url), '/consent');
    for (const step of ['sign-in', 'patient', 'consent'])
      expect(await forged(page).request('GET', page.url.href.replace(/consent$/, step))).toMatchObject(over);
    const uid = page.url.pathname.split('/')[3] ?? '';
    const resumed = await forged(page).request('GET', `${server.issuer}/authorize/${uid}`);
    expect([resumed.status, resumed.headers.location]).toEqual([400, undefined]);
  });

  it('cannot be agreed to with another session', async () => {
    const [victim, attacker] = [new Browser(server.running.url), new Browser(server.running.url)];
    const page = await until(victim, '/consent');
    await until(attacker, '/consent', 'patient');
    const form = page.text.match(/name="token" value="([^"]*)"/)?.[1] ?? '';
    for (const browser of [attacker, forged(page)]) {
      const body = new URLSearchParams({ token: form, scope: 'patient/Patient.rs' });
      expect((await browser.request('POST', page.url, body)).status).toBe(403);
    }
    expect(hasCode(await goOn(victim, page))).toBe(true);
  });

  it('cannot be gone on with before it is agreed to', async () => {
    const browser = new Browser(server.running.url);
    const page = await until(browser, '/consent');
    const uid = page.url.pathname.split('/')[3] ?? '';
    for (const tail of ['', '?consent=1', '/', '?login=clinician&consent[grantId]=x']) {
      const { status, headers } = await browser.request('GET', `${server.issuer}/authorize/${uid}${tail}`);
      expect(headers.location ?? '').not.toContain('code=');
      expect(status).toBeLessThan(500);
    }
    for (const odd of ['..%2ftoken', '%2e%2e', '%3fscope=x', `${uid}%0d%0aX-Evil:yes`, '%00', '%ff']) {
      const { status, headers } = await browser.request('GET', `${server.issuer}/authorize/${odd}`);
      expect(headers).not.toHaveProperty('x-evil');
      expect([400, 404]).toContain(status);
    }
  });
});

describe('a forged form', () => {
  it('agrees to no scope that was not asked for', async () => {
    const browser = new Browser(server.running.url);
    const { verifier, challenge } = pkce();
    const scope = 'launch/patient patient/Patient.rs';
    let page = await browser.open(authorizeUrl(server, challenge, { scope }));
    while (!page.url.pathname.endsWith('/consent')) page = await goOn(browser, page);
    const more = ['patient/Patient.rs', 'patient/*.cruds', 'user/Patient.cruds', 'offline_access', 'system/*.cruds'];
    const end = await browser.submit(page, '/consent', { scope: more });
    const { json } = await exchange(server, { answer: end.url.searchParams, verifier });
    expect(json.scope).toBe(scope);
    expect(json).not.toHaveProperty('refresh_token');
  });

  it('agrees to nothing before a patient was chosen, and chooses none who is not seen', async () => {
    const browser = new Browser(server.running.url);
    const page = await until(browser, '/patient');
    const token = page.text.match(/name="token" value="([^"]*)"/)?.[1] ?? '';
    const early = new URLSearchParams({ token, scope: 'patient/Patient.rs' });
    const answer = await browser.request('POST', page.url.href.replace(/patient$/, 'consent'), early);
    expect(answer.headers.location).toMatch(/\/patient$/);
    for (const patient of ['nobody', '../Practitioner/dr', 'dr', '', 'ann,bob', '*']) {
      const form = new URLSearchParams({ token, patient, do: 'choose' });
      const { status, headers } = await browser.request('POST', page.url, form);
      expect([403, 422]).toContain(status);
      expect(headers.location).toBeUndefined();
    }
    expect((await browser.request('GET', page.url)).status).toBe(200);
  });

  it('agrees to no other patient than the one that the page shows', async () => {
    const browser = new Browser(server.running.url);
    const { verifier, challenge } = pkce();
    let shown = await browser.open(authorizeUrl(server, challenge));
    while (!shown.url.pathname.endsWith('/consent')) shown = await goOn(browser, shown, { patient: 'ann' });
    const tab = await browser.open(shown.url.href.replace(/consent$/, 'patient'));
    await browser.submit(tab, '/patient', { patient: 'bob', do: 'choose' });
    const again = await browser.submit(shown, '/consent', { scope: ['patient/Patient.rs'] });
    expect([again.url.pathname, again.text.includes('BERG')]).toEqual([shown.url.pathname, true]);
    const end = await goOn(browser, again);
    expect((await exchange(server, { answer: end.url.searchParams, verifier })).json.patient).toBe('bob');
  });

  it('gives who is a patient no other patient', async () => {
    const browser = new Browser(server.running.url);
    const { verifier, challenge } = pkce();
    let page = await browser.open(authorizeUrl(server, challenge));
    page = await goOn(browser, page, { user: 'patient' });
    const token = page.text.match(/name="token" value="([^"]*)"/)?.[1] ?? '';
    const form = new URLSearchParams({ token, patient: 'bob', do: 'choose' });
    await browser.request('POST', page.url.href.replace(/consent$/, 'patient'), form);
    const end = await goOn(browser, page);
    expect((await exchange(server, { answer: end.url.searchParams, verifier })).json.patient).toBe('ann');
  });
});

describe('in mid-conversation', () => {
  it('who no longer exists agrees to nothing', async () => {
    await server.addUser({ id: 'leaving', partitions: [{ id: 'demo', fhirUser: 'Practitioner/dr' }] });
    const browser = new Browser(server.running.url);
    const page = await until(browser, '/consent', 'leaving');
    await server.store.documents(userCollection).delete('leaving');
    await revoke(server.store.documents(revocationCollection), 'user', 'leaving', server.clock.now);
    const answer = await browser.submit(page, '/consent', { scope: ['patient/Patient.rs'] });
    expect(hasCode(answer)).toBe(false);
    expect(answer.status).toBe(403);
    expect((await browser.open(page.url)).url.pathname).toMatch(/\/sign-in$/);
  });

  it('an app that no longer exists gets nothing', async () => {
    await server.addClient({ id: 'leaving-app' });
    const browser = new Browser(server.running.url);
    const url = authorizeUrl(server, pkce().challenge, { client: 'leaving-app' });
    const pages = [await browser.open(url)];
    while (!pages.at(-1)?.url.pathname.endsWith('/consent'))
      pages.push(await goOn(browser, pages.at(-1) ?? (await browser.open(url))));
    await server.store.documents(clientCollection).delete('leaving-app');
    for (const page of pages) {
      expect(await browser.request('GET', page.url)).toMatchObject(over);
      const form = page.url.pathname.slice(page.url.pathname.lastIndexOf('/'));
      const answer = await browser.submit(page, form, { user: 'clinician', password, patient: 'ann', do: 'choose' });
      expect(hasCode(answer)).toBe(false);
    }
  });

  it('an app that lost the partition gets nothing', async () => {
    await server.addClient({ id: 'moving-app', partitions: ['demo', 'other'] });
    const query = { client_id: 'moving-app' };
    const browser = new Browser(server.running.url);
    let page = await begin(browser, query);
    while (!page.url.pathname.endsWith('/consent')) page = await goOn(browser, page);
    await server.addClient({ id: 'moving-app', partitions: ['other'] });
    expect(await browser.request('GET', page.url)).toMatchObject(over);
    expect(hasCode(await browser.submit(page, '/consent', { scope: ['patient/Patient.rs'] }))).toBe(false);
  });

  it.each<[title: string, change: () => Promise<void>]>([
    [
      'that lost its address',
      () => server.addClient({ id: 'changing-app', redirectUris: ['https://other.example/back'] }),
    ],
    ['that was removed', () => server.store.documents(clientCollection).delete('changing-app')],
    ['that acts for itself alone by now', () => server.addClient({ id: 'changing-app', flows: ['backend'] })],
  ])('an app %s gets no code, even where the user has agreed', async (_, change) => {
    await server.addClient({ id: 'changing-app' });
    const browser = new Browser(server.running.url);
    let page = await begin(browser, { client_id: 'changing-app' });
    while (!page.url.pathname.endsWith('/consent')) page = await goOn(browser, page);
    const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const agreed = new URLSearchParams({ token, scope: 'patient/Patient.rs', patient: 'ann' });
    const { headers } = await browser.request('POST', page.url, agreed);
    const onward = /url=(.*)$/.exec(String(headers['refresh']))?.[1] ?? '';
    expect(onward).toContain('/auth/authorize/');
    await change();
    const answer = await browser.request('GET', onward);
    expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
    const next = await begin(browser, { client_id: 'app' });
    expect(next.status).toBe(200); // as for others
  });

  it('an app that lost its address is not gone back to with a refusal either', async () => {
    await server.addClient({ id: 'changing-app' });
    const browser = new Browser(server.running.url);
    const page = await begin(browser, { client_id: 'changing-app' });
    await server.addClient({ id: 'changing-app', redirectUris: ['https://other.example/back'] });
    expect(await browser.submit(page, '/cancel')).toMatchObject(over);
  });

  it('who has signed out in another tab agrees to nothing', async () => {
    const browser = new Browser(server.running.url);
    const page = await until(browser, '/consent');
    await browser.submit(await browser.open(`${server.issuer}/sign-out`), '/sign-out', { from: 'here' });
    expect((await browser.submit(page, '/consent', { scope: ['patient/Patient.rs'] })).status).toBe(403);
  });
});

describe('a launch value of another session, or used twice', () => {
  it('that two browsers of the same user bring at a time is valid for one', async () => {
    const browsers = server.ports.map(port => new Browser(server.running.url, port));
    for (const browser of browsers) await until(browser, '/consent');
    const launch = await server.launch();
    const query = { launch, scope: 'launch patient/Patient.rs' };
    const pages = await Promise.all(browsers.map(browser => begin(browser, query)));
    expect(pages.filter(({ url }) => url.pathname.endsWith('/consent'))).toHaveLength(1);
  });
});
