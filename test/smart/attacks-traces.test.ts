import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import { authorizeRate } from '../../src/smart/provider/endpoints.ts';
import { throttleRules } from '../../src/smart/sign-in/throttle.ts';
import { Browser } from './support/browser.ts';
import { authorize, credentials, exchange, follow, authorizeUrl, pkce, post, read, refresh } from './support/flow.ts';
import { authorizing, password } from './support/server.ts';
import type { Authorizing } from './support/server.ts';
import { auditOf } from '../support/audit-of.ts';

// What a launch leaves behind where others may look, and guessing of passwords from many addresses.
// https://cheatsheetseries.owasp.org/cheatsheets/Logging_Cheat_Sheet.html#data-to-exclude
let server: Authorizing;
const lines: string[] = [];
beforeAll(async () => {
  server = await authorizing({ write: line => lines.push(line) });
});
afterAll(() => server.close());

describe('a launch with all that goes with it', () => {
  const secrets = new Map<string, string>();
  const names = ['Andersen', 'Berg', 'The user clinician', 'The app secret-app'];

  beforeAll(async () => {
    const browser = new Browser(server.running.url);
    const launch = await server.launch({ client: 'secret-app' });
    const scope = 'launch openid fhirUser offline_access patient/Patient.rs';
    const { verifier, challenge } = pkce();
    const query = { launch, nonce: 'the nonce of the app' };
    const url = authorizeUrl(server, challenge, { client: 'secret-app', scope, query });
    const page = await browser.open(url);
    await browser.submit(page, '/sign-in', { user: 'clinician', password: 'a password that is wrong' });
    await browser.submit(page, '/sign-in', { user: 'password in the place of the name', password });
    const { url: end } = await follow(server, browser, page.url);
    const answer = end.searchParams;
    const { json } = await exchange(server, { answer, verifier }, 'secret-app');
    await exchange(server, { answer, verifier: 'v'.repeat(43) }, 'app');
    await read(server, json.access_token, '/Patient?name=Andersen');
    const next = await refresh(server, json.refresh_token, { client: 'secret-app' });
    const { form, headers } = await credentials(server, 'secret-app');
    await post(server, '/introspect', { token: next.json.access_token, ...form }, headers);
    await post(server, '/revoke', { token: next.json.refresh_token, ...form }, headers);
    const signed = await credentials(server, 'signing-app');
    await post(server, '/token', { grant_type: 'refresh_token', refresh_token: 'x', ...signed.form });
    const picking = await browser.open(authorizeUrl(server, pkce().challenge));
    await browser.submit(picking, '/patient', { query: 'Andersen', do: 'search' });
    const own = {
      launch,
      'code verifier': verifier,
      'wrong password': 'a password that is wrong',
      'password as a name': 'password in the place of the name',
      password,
      code: answer.get('code') ?? '',
      state: answer.get('state') ?? '',
      nonce: 'the nonce of the app',
      'access token': json.access_token,
      'refresh token': json.refresh_token,
      'ID token': json.id_token,
      'next access token': next.json.access_token,
      'next refresh token': next.json.refresh_token,
      'client secret': 'app-secret',
      'client secret in its header': headers['Authorization']?.slice('Basic '.length) ?? '',
      'client assertion': signed.form['client_assertion'] ?? '',
      'id of a conversation': picking.url.pathname.split('/')[3] ?? '',
    };
    for (const [name, value] of Object.entries(own)) secrets.set(name, String(value));
    for (const [name, { value }] of browser.cookies) secrets.set(`cookie ${name.split(' ')[0] ?? ''}`, value);
    await server.running.engine.audit.close(); // keeps what waits
  });

  it('has such secrets', () => {
    expect([...secrets.keys()]).toContain('cookie crs_session');
    expect([...secrets.values()].filter(value => value.length < 10)).toEqual([]);
  });

  it('leaves none of them in the log, nor any name', () => {
    const all = lines.join('');
    expect(lines.length).toBeGreaterThan(20);
    expect(new Set(lines.map(line => (JSON.parse(line) as { route?: string }).route))).toContain('/auth/token');
    const found = [...secrets].filter(([, value]) => all.includes(value) || all.includes(encodeURIComponent(value)));
    expect(found.map(([name]) => name)).toEqual([]);
    expect(names.filter(name => all.includes(name))).toEqual([]);
    expect(all).not.toMatch(/\?/); // no query at all
  });

  it('leaves none of them in the audit, which names those who did it', async () => {
    let all = '';
    const read = async (): Promise<string> => {
      all = '';
      for await (const { text } of readEvents(auditOf(server.store), {})) all += text;
      return all;
    };
    await expect.poll(read).toContain('token-revoked'); // the last one; events are written a moment later
    const found = [...secrets].filter(([, value]) => all.includes(value) || all.includes(encodeURIComponent(value)));
    expect(found.map(([name]) => name)).toEqual([]);
    for (const known of ['clinician', 'secret-app', '110122', 'token-issued', 'token-revoked'])
      expect(all).toContain(known);
  });
});

describe('a flood of authorization requests', () => {
  it('from one address has to wait, and fills no disk', async () => {
    const other = await authorizing({ flags: ['--max-requests', '1000'] }); // several processes begin more at a time
    try {
      const url = authorizeUrl(other, pkce().challenge);
      const ask = (at: number) =>
        new Browser(other.running.url).request('GET', url, undefined, { 'X-Forwarded-For': `203.0.113.${at % 256}` });
      const late: Awaited<ReturnType<typeof ask>>[] = [];
      let begun = 0;
      for (let round = 0; late.length === 0 && round < 5; round += 1) {
        const answers = await Promise.all(Array.from({ length: 320 }, (_, at) => ask(at)));
        expect(answers.filter(({ status }) => status !== 303 && status !== 429)).toEqual([]);
        late.push(...answers.filter(({ status }) => status === 429));
        begun += answers.filter(({ status }) => status === 303).length;
      }
      expect(begun).toBeLessThanOrEqual(authorizeRate.capacity); // the clock stands still
      expect(late[0]?.headers).toMatchObject({ 'retry-after': '1' });
      expect(late[0]?.text).toContain('temporarily_unavailable');
      expect(late[0]?.text).toContain('Wait ten seconds, then try again.');
      expect((await new Browser(other.running.url).request('GET', '/auth/sign-in')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('password guessing', () => {
  it('of many names from one address has to wait, whatever address the request claims', async () => {
    const other = await authorizing();
    try {
      const browser = new Browser(other.running.url);
      const page = await browser.open('/auth/sign-in');
      const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
      const attempt = async (at: number) => {
        const form = new URLSearchParams({ token, user: `user-${at}`, password: 'Spring2026!' });
        const headers = {
          'X-Forwarded-For': `203.0.113.${at}`,
          'X-Real-IP': `203.0.113.${at}`,
          Forwarded: `for=203.0.113.${at}`,
        };
        return (await browser.request('POST', '/auth/sign-in', form, headers)).status;
      };
      const { free } = throttleRules.address;
      const statuses: number[] = [];
      for (let at = 0; at <= free; at += 1) statuses.push(await attempt(at));
      expect(statuses).toEqual([...Array.from({ length: free }, () => 422), 429]);
    } finally {
      await other.close();
    }
  });
});

describe('account enumeration', () => {
  it('learns nothing from the number of allowed attempts', async () => {
    const other = await authorizing();
    try {
      const tried = async (user: string) => {
        const browser = new Browser(other.running.url);
        const page = await browser.open('/auth/sign-in');
        const seen: string[] = [];
        for (let at = 0; at < 7; at += 1) {
          const { status, text, headers } = await browser.submit(page, '/sign-in', { user, password: 'wrong' });
          seen.push(`${status} ${headers['retry-after'] ?? ''} ${text.replaceAll(/value="[^"]*"/g, '')}`);
        }
        return seen;
      };
      expect(await tried('nobody-here')).toEqual(await tried('clinician'));
    } finally {
      await other.close();
    }
  });

  it('learns nothing from the endpoints for clients', async () => {
    const { challenge } = pkce();
    const asked = ['prompt', 'login_hint', 'id_token_hint'].map(async name => {
      const url = (hint: string) => authorizeUrl(server, challenge, { query: { [name]: hint, state: 'same' } });
      const [known, unknown] = await Promise.all(
        ['clinician', 'nobody-here'].map(hint => new Browser(server.running.url).request('GET', url(hint))),
      );
      return [known?.status, unknown?.status];
    });
    for (const [known, unknown] of await Promise.all(asked)) expect(known).toBe(unknown);
  });
});

describe('what an app opens', () => {
  it('gets no code or launch value of another user as a Referer, and nothing stays in a cache', async () => {
    const browser = new Browser(server.running.url);
    const launch = await server.launch();
    const first = await browser.request(
      'GET',
      authorizeUrl(server, pkce().challenge, { scope: 'launch patient/Patient.rs', query: { launch } }),
    );
    const error = await browser.request(
      'GET',
      authorizeUrl(server, 'c'.repeat(43), { query: { launch, client_id: 'x' } }),
    );
    const { page } = await authorize(server, { browser });
    const [begun, wrong, back] = [first.headers, error.headers, page.headers];
    expect([begun, wrong, back].map(headers => headers['cache-control'])).toEqual(['no-store', 'no-store', 'no-store']);
    expect(wrong['referrer-policy']).toBe('no-referrer');
    expect([first.status, page.status]).toEqual([303, 303]);
  });
});
