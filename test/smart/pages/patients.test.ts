import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/audit/read-events.ts';
import { openClinic } from './support/clinic.ts';
import type { Clinic } from './support/clinic.ts';
import { Visitor, plain, valuesOf } from './support/visitor.ts';
import type { Seen } from './support/visitor.ts';
import { auditOf } from '../../support/audit-of.ts';

let clinic: Clinic;
let choose: Seen;
const visitor = (): Visitor => dr;
let dr: Visitor;
beforeAll(async () => {
  clinic = await openClinic();
  dr = new Visitor(clinic);
  choose = await dr.signIn(await dr.get(clinic.authorizeUrl()), 'dr');
});
afterAll(() => clinic.close());

const search = (query: string, more: Record<string, string> = {}): Promise<Seen> =>
  visitor().submit(choose, { do: 'search', query, ...more });

/** Events of searches and reads by a user, newest last. */
async function events(): Promise<
  { subtype: string; outcome: string; queries: string[]; patients: string[]; client: string; user: string }[]
> {
  const audit = auditOf(clinic.running.engine.store);
  const found = [];
  for await (const { text, patients, client = '' } of readEvents(audit, { partition: 'demo' })) {
    const event = JSON.parse(text) as {
      subtype?: { code: string }[];
      outcome: string;
      agent: { who: { reference?: string } }[];
      entity?: { query?: string }[];
    };
    found.push({
      subtype: event.subtype?.[0]?.code ?? '',
      outcome: event.outcome,
      queries: (event.entity ?? []).flatMap(({ query }) =>
        query === undefined ? [] : Buffer.from(query, 'base64').toString(),
      ),
      patients: [...patients],
      client,
      user: event.agent.map(({ who }) => who.reference ?? '').join(''),
    });
  }
  return found;
}

describe('the search for a patient', () => {
  const examples: readonly [typed: string, ids: readonly string[]][] = [
    ['trem', ['p1', 'p2']],
    ['TREMBLAY zoe', ['p1']],
    ['andre marc', []],
    ['marc andre', ['p2']],
    ['marc andre trem', ['p2']],
    ['29 feb 1980', ['p1', 'p3']],
    ['19800229 okafor', ['p3']],
    ['100p3', ['p3']],
    ['nobody', []],
    ['okafor 1959', []],
  ];
  it.each(examples)('finds by `%s`', async (typed, ids) => {
    expect([...valuesOf((await search(typed)).html, 'patient')].toSorted()).toEqual(ids);
  });

  it('shows twenty, and says that there are more', async () => {
    const page = await search('martin');
    expect(valuesOf(page.html, 'patient')).toHaveLength(20);
    expect(plain(page.html)).toContain(
      'The first 20 patients are shown; there are more. Add a name or a date of birth.',
    );
  });

  it('gives advice if no patient is found, and if nothing was typed', async () => {
    expect(plain((await search('nobody')).html)).toContain('No patient found. Check the spelling');
    expect(plain((await search(' ')).html)).toContain('Enter a name, a date of birth or a health number.');
  });

  it('shows names as they are, whatever is in them', async () => {
    const page = await search('100p4');
    expect(plain(page.html)).toContain('<B>NG</B>, "Lin" & \'co\'');
    expect(page.html).not.toContain('<B>');
  });

  it('shows the official name, the nickname beside it, and that a record is not a current one', async () => {
    const names = async (query: string): Promise<readonly string[]> =>
      [...(await search(query)).html.matchAll(/<span class="name"\s*>([^]*?)<\/span\s*>\s*<span class="facts/g)].map(
        ([, name = '']) => plain(name),
      );
    expect(await names('luc')).toEqual(['FRASER, Lucas John (Luc) Not in use Replaced by another record']);
    expect(await names('lili')).toEqual(['ROY, Lia (Lili) Deceased']);
    expect(await names('okafor')).toEqual(['OKAFOR, Ada']);
    const other = new Visitor(clinic);
    const chosen = await other.submit(
      await other.signIn(await other.get(clinic.authorizeUrl()), 'dr'),
      {
        do: 'choose',
        patient: 'f1',
      },
      1,
    );
    const [open = ''] = valuesOf((await other.get('/auth/launcher')).html, 'open');
    const launcher = await other.get(`/auth/launcher?${new URLSearchParams({ open }).toString()}`);
    const found = await other.submit(launcher, { do: 'search', query: 'luc' });
    for (const { html } of [found, chosen])
      expect(plain(html)).toContain('FRASER, Lucas John (Luc) Not in use Replaced by another record');
    expect(chosen.heading).toBe('Allow Growth Chart?');
  });

  it('gives the script the same results without the page around them', async () => {
    const part = await search('trem', { part: 'results' });
    expect(part.status).toBe(200);
    expect(part.html).not.toContain('<html');
    expect(part.html).toContain('2 patients found.');
    expect(valuesOf(part.html, 'patient')).toHaveLength(2);
    expect(part.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('keeps what was typed out of the address', async () => {
    const page = await search('tremblay');
    expect(page.url).not.toContain('tremblay');
    expect(page.html).toMatch(/id="query"[^>]*value="tremblay"/);
  });

  it('is in the audit with what was asked for and whom it has shown, as is the choice', async () => {
    await search('okafor 1980');
    const found = await search('okafor');
    await visitor().submit(found, { do: 'choose', patient: 'p3' }, 1);
    await expect
      .poll(async () => (await events()).filter(({ user }) => user.includes('Practitioner/dr')), { timeout: 10_000 })
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            subtype: 'search-type',
            outcome: '0',
            queries: ['Patient?name=okafor&birthdate=1980&_summary=data&_count=20'],
            patients: ['p3'],
            client: 'growth',
          }),
          expect.objectContaining({ subtype: 'read', outcome: '0', patients: ['p3'] }),
        ]),
      );
  });
});

describe('a user who is a patient', () => {
  it('sees no other patient, whatever the form contains', async () => {
    const zoe = new Visitor(clinic);
    const apps = await zoe.signIn(await zoe.get('/auth/sign-in'), 'zoe');
    const [open = ''] = valuesOf(apps.html, 'open');
    const page = await zoe.get(`/auth/launcher?${new URLSearchParams({ open }).toString()}`);
    const found = await zoe.submit(page, { do: 'search', query: 'okafor', part: 'results' });
    expect(valuesOf(found.html, 'patient')).toEqual([]);
    const own = await zoe.submit(page, { do: 'search', query: 'tremblay', part: 'results' });
    expect(valuesOf(own.html, 'patient')).toEqual(['p1']);
  });
});

describe('the language', () => {
  it('is that of the browser, of the app, or the one that is chosen, which stays', async () => {
    const french = new Visitor(clinic, { 'Accept-Language': 'fr-CA,fr;q=0.9' });
    expect((await french.get('/auth/sign-in')).heading).toBe('Ouvrir une session');
    const english = new Visitor(clinic, { 'Accept-Language': 'en' });
    const page = await english.get(clinic.authorizeUrl({ ui_locales: 'fr-CA en' }));
    expect(page.heading).toBe('Ouvrir une session');
    expect(page.headers.get('content-language')).toBe('fr');
    expect(page.html).toContain('<html lang="fr-CA">');
    const link = plain(/<a href="([^"]*)"\s+lang="en-CA"/.exec(page.html)?.[1] ?? '');
    const switched = await english.get(link);
    expect(switched).toMatchObject({ heading: 'Sign in' });
    expect(new URL(switched.url).pathname).toBe(new URL(page.url).pathname);
    expect((await english.signIn(switched, 'dr')).heading).toBe('Choose a patient');
    await english.get('/auth/sign-out?language=fr');
    expect((await english.get('/auth/launcher')).heading).toBe('Lancer une application');
  });

  it('of errors of the authorization endpoint can be changed, and the request with them stays', async () => {
    const page = await new Visitor(clinic).get(clinic.authorizeUrl({ client_id: 'nobody' }));
    const link = plain(/<a href="([^"]*)"\s+lang="fr-CA"/.exec(page.html)?.[1] ?? '');
    const french = await new Visitor(clinic).get(link);
    expect(french).toMatchObject({ status: page.status, heading: 'Cette application est inconnue ici' });
  });
});
