// https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html, https://www.rfc-editor.org/rfc/rfc7636
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueToken, tokenCollection } from '../../src/auth/token/own-tokens.ts';
import { readEvents } from '../../src/audit/read-events.ts';
import { isOwnPage } from '../../src/explorer/session/rights.ts';
import { auditOf } from '../support/audit-of.ts';
import { openClinic } from '../smart/pages/support/clinic.ts';
import type { Clinic } from '../smart/pages/support/clinic.ts';
import { Visitor, plain } from '../smart/pages/support/visitor.ts';
import type { Seen } from '../smart/pages/support/visitor.ts';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const patients = '/r4/demo/Patient?family=tremblay';

let clinic: Clinic;
beforeAll(async () => {
  clinic = await openClinic();
});
afterAll(() => clinic.close());

const visit = (): Visitor => new Visitor(clinic, browser);

/** The posted form of a page that contains a text. */
const formWith = (page: Seen, text: string): number =>
  [...page.html.matchAll(/<form[^>]*?method="post"[^]*?<\/form>/g)].findIndex(([form]) => form.includes(text));

/** Signs in as a user by the authorization server, and returns the page at the end. */
async function signIn(visitor: Visitor, user: string, how: 'user' | 'patient' = 'user'): Promise<Seen> {
  const asked = await visitor.get(patients);
  const page = await visitor.submit(asked, { how }, formWith(asked, `value="${how}"`));
  let next = await visitor.signIn(page, user);
  if (next.onward !== undefined) return visitor.get(next.onward); // refused
  if (next.url.endsWith('/patient')) {
    const found = await visitor.submit(next, { query: 'tremblay', do: 'search' });
    const id = /name="patient"[^>]*value="([^"]*)"/.exec(found.html)?.[1] ?? '';
    next = await visitor.submit(found, { patient: id, do: 'choose' }, 1);
  }
  const scopes = [...next.html.matchAll(/name="scope"[^>]*?value="([^"]*)"/g)].map(([, scope = '']) => plain(scope));
  const agreed = await visitor.submit(next, { scope: scopes, do: 'allow' });
  return agreed.onward === undefined ? agreed : visitor.get(agreed.onward);
}

describe('a visitor without a session', () => {
  it('is asked to sign in, with the status that a client gets, and returns to the page', async () => {
    const visitor = visit();
    const page = await visitor.get(patients);
    expect([page.status, page.heading]).toEqual([401, 'Who is asking?']);
    expect(page.html).toContain('<title>Sign in – Clinical Records</title>');
    expect(page.headers.get('www-authenticate')).toBeNull();
    expect(page.html).not.toContain('demonstration');
  });

  it('signs in as a clinician, sees what the token allows, and signs out', async () => {
    const visitor = visit();
    const results = await signIn(visitor, 'dr');
    expect([results.status, results.url]).toEqual([200, `${clinic.url}${patients}`]);
    expect(results.html).toContain('Dr. Adaeze Okafor');
    expect(results.html).toContain('/r4/demo/Patient/');
    const secret = visitor.cookies.get('crs_explorer') ?? '';
    const out = await visitor.submit(results, {}, formWith(results, '/explorer/sign-out'));
    expect([out.url, visitor.cookies.has('crs_explorer')]).toEqual([`${clinic.url}/`, false]);
    visitor.cookies.set('crs_explorer', secret);
    expect((await visitor.get(patients)).status).toBe(401);
  });

  it('signs in for one patient, and sees only that record', async () => {
    const results = await signIn(visit(), 'dr', 'patient');
    expect(results.status).toBe(200);
    const ids = new Set([...results.html.matchAll(/\/r4\/demo\/Patient\/([a-z0-9-]+)"/g)].map(([, id]) => id));
    expect(ids.size).toBe(1);
  });

  it('is refused the choice that the account does not have, and may make another', async () => {
    const visitor = visit();
    const page = await signIn(visitor, 'zoe');
    expect([page.status, plain(page.html)]).toEqual([403, expect.stringContaining('is for clinicians')]);
    expect(page.html).toContain('<title>Error: Sign in – Clinical Records</title>');
    const other = await visitor.submit(page, { how: 'patient' }, formWith(page, 'value="patient"'));
    expect(other.heading).toBe('Allow Explorer?');
  });

  it('cannot end a sign-in that another browser began', async () => {
    const [mine, theirs] = [visit(), visit()];
    const asked = await mine.get(patients);
    await mine.submit(asked, { how: 'user' }, formWith(asked, 'value="user"'));
    await theirs.get(patients);
    const page = await theirs.get('/explorer/callback?code=x&state=y');
    expect([page.status, page.html.includes('begun in another browser')]).toEqual([400, true]);
  });
});

describe('the audit', () => {
  it('has an event for each request of a page, with the user, the patients and the outcome', async () => {
    const visitor = visit();
    await signIn(visitor, 'dr');
    const marker = '/r4/demo/Patient?_count=17';
    await visitor.get(marker);
    await visitor.get('/r4/demo/Condition/17');
    const mine = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { text, client } of readEvents(auditOf(clinic.running.engine.store), { partition: 'demo' }))
        if (client === 'explorer') found.push(text);
      return found.filter(
        text => text.includes(Buffer.from('Patient?_count=17').toString('base64')) || text.includes('Condition/17'),
      );
    };
    await expect.poll(async () => (await mine()).length, { timeout: 20_000 }).toBe(2);
    const [search = '', read = ''] = await mine();
    expect([search, read].map(text => (JSON.parse(text) as { outcome: string }).outcome)).toEqual(['0', '4']);
    expect(search).toContain('"Patient/p1');
  });
});

describe('a pasted token', () => {
  const issue = (audience: string, scope = 'system/Patient.rs'): Promise<string> => {
    const { store, now } = clinic.running.engine;
    const grant = { client: 'growth', scope, audience, issued: now(), expires: now() + 3_600_000 };
    return issueToken(store.documents(tokenCollection), grant);
  };
  const paste = async (visitor: Visitor, access: string): Promise<Seen> => {
    const asked = await visitor.get(patients);
    return visitor.submit(asked, { access, how: 'token' }, formWith(asked, 'value="token"'));
  };

  it('opens what it allows, is not in the store, and ends when it is idle', async () => {
    const visitor = visit();
    const token = await issue(clinic.base);
    const page = await paste(visitor, token);
    expect([page.status, page.url]).toEqual([200, `${clinic.url}${patients}`]);
    const sessions: string[] = [];
    for await (const one of clinic.running.engine.store.documents('explorer-sessions').list())
      sessions.push(JSON.stringify(one));
    expect(sessions.length).toBeGreaterThan(0);
    expect(sessions.filter(text => text.includes(token))).toEqual([]);
    const refused = await visitor.get('/r4/demo/Condition');
    expect(refused.status).toBe(403);
    expect(refused.html).toContain('href="/explorer/demo/sign-in?to=%2Fr4%2Fdemo%2FCondition"'); // by another account
    clinic.pass(16 * 60_000);
    expect((await visitor.get(patients)).status).toBe(401);
    clinic.pass(-16 * 60_000);
  });

  it('is refused with the reason if it is not valid here', async () => {
    for (const token of ['crs_none', await issue(`${clinic.url}/r4/other`), '']) {
      const page = await paste(visit(), token);
      expect([page.status, page.html.includes('role="alert"')]).toEqual([422, true]);
    }
  });

  it('is for its partition only', async () => {
    const visitor = visit();
    await paste(visitor, await issue(clinic.base));
    expect((await visitor.get('/r4/other/Patient')).status).toBe(401);
  });

  it('is not accepted from a page of another site, or without its own page', async () => {
    const visitor = visit();
    const asked = await visitor.get(patients);
    const form = new URLSearchParams({ access: await issue(clinic.base), how: 'token' }).toString();
    const path = `/explorer/demo/sign-in?to=${encodeURIComponent(patients)}`;
    expect((await visitor.send('POST', path, form)).status).toBe(403);
    const cross = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    const [token = ''] = /name="token" value="([^"]*)"/.exec(asked.html)?.slice(1) ?? [];
    expect((await visitor.send('POST', path, `${form}&token=${token}`, cross)).status).toBe(403);
    expect((await visitor.send('POST', path, `${form}&token=${token}`)).status).toBe(200);
  });

  it('does not open a page for scripts of another origin, which may read its JSON', async () => {
    const visitor = visit();
    await paste(visitor, await issue(clinic.base));
    const page = await visitor.send('GET', patients, undefined, { Origin: 'http://127.0.0.1:9' }); // of an app
    expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });
});

describe('cookies count', () => {
  it.each<[Record<string, string>, boolean, string]>([
    [{}, true, 'from clients without these headers'],
    [{ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, true, 'for a typed address'],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, true, 'for scripts of these pages'],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, true, 'for a link on another site'],
    [{ 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:8080' }, true, 'for forms of these pages'],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, true, 'for forms without a referrer'],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, false, 'not for scripts on another port'],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, false, 'not for images elsewhere'],
    [
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', origin: 'null' },
      false,
      'not for forms elsewhere',
    ],
    [{ origin: 'http://localhost:3000' }, false, 'not for another origin'],
    [{ origin: 'null' }, false, 'not for an unknown origin'],
  ])('%j: %s, %s', (headers, counts) => {
    expect(isOwnPage({ headers }, 'http://127.0.0.1:8080')).toBe(counts);
  });
});
