import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClinic, password } from './support/clinic.ts';
import type { Clinic } from './support/clinic.ts';
import { Visitor, formsOf, plain, valuesOf } from './support/visitor.ts';
import type { Seen } from './support/visitor.ts';

// What must fail: forged forms, framed pages, redirects elsewhere, guessing who has an account, sessions that were
// there before.

let clinic: Clinic;
beforeAll(async () => {
  clinic = await openClinic();
});
afterAll(() => clinic.close());

const signedIn = async (user = 'dr'): Promise<Visitor> => {
  const visitor = new Visitor(clinic);
  await visitor.signIn(await visitor.get('/auth/sign-in'), user);
  return visitor;
};

/** Every page, as a visitor who is signed in gets to it. */
const pages: readonly [name: string, get: (visitor: Visitor) => Promise<Seen>][] = [
  ['sign-in', () => new Visitor(clinic).get('/auth/sign-in')],
  ['sign-in for an app', () => new Visitor(clinic).get(clinic.authorizeUrl())],
  ['choice of a patient', visitor => visitor.get(clinic.authorizeUrl())],
  [
    'consent',
    async visitor => visitor.submit(await visitor.get(clinic.authorizeUrl()), { do: 'choose', patient: 'p1' }, 1),
  ],
  ['launcher', visitor => visitor.get('/auth/launcher')],
  ['launcher, choice of a patient', async visitor => visitor.get(`/auth/launcher?${await opens(visitor)}`)],
  ['sign-out', visitor => visitor.get('/auth/sign-out')],
  ['signed out', async visitor => visitor.submit(await visitor.get('/auth/sign-out'), { from: 'here' })],
];
const opens = async (visitor: Visitor): Promise<string> =>
  new URLSearchParams({ open: valuesOf((await visitor.get('/auth/launcher')).html, 'open')[0] ?? '' }).toString();

/** Those without a form. */
const others: readonly [name: string, get: (visitor: Visitor) => Promise<Seen>][] = [
  ['what is not there', visitor => visitor.get('/auth/interaction/nothing')],
  ['an address that is no page', visitor => visitor.get('/auth/nonsense')],
  ['an error of the authorization endpoint', visitor => visitor.get('/auth/authorize?client_id=nobody')],
  [
    'the way to the app',
    async visitor =>
      visitor.submit(
        await visitor.submit(await visitor.get(clinic.authorizeUrl()), { do: 'choose', patient: 'p1' }, 1),
        {},
        1,
      ),
  ],
];

describe('every page', () => {
  it.each([...pages, ...others])('is sent with a strict policy: %s', async (_, get) => {
    const { headers, html, status } = await get(await signedIn());
    const policy = headers.get('content-security-policy') ?? '';
    const directives = new Map(
      policy.split('; ').map(one => [one.split(' ')[0] ?? '', one.split(' ').slice(1).join(' ')]),
    );
    expect(directives.get('default-src')).toBe("'none'");
    expect(directives.get('frame-ancestors')).toBe("'none'");
    expect(directives.get('form-action')).toBe("'self'");
    expect(directives.get('base-uri')).toBe("'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    // apps that sign in in a window of their own report to its opener
    expect(headers.get('cross-origin-opener-policy')).toBeNull();
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(status).not.toBe(500);
    // The page itself has neither script nor style.
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
    expect(
      [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)].every(
        ([, at, inner]) => /src=/.test(at ?? '') && inner === '',
      ),
    ).toBe(true);
    expect(html.includes('<script')).toBe(directives.has('script-src'));
  });

  it('may be shown in frames of the sites that the settings name, and of no others', async () => {
    const other = await openClinic({}, ['--frame-ancestors', 'https://ehr.example']);
    try {
      const { headers } = await new Visitor(other).get('/auth/sign-in');
      expect(headers.get('content-security-policy')).toContain('frame-ancestors https://ehr.example');
      expect(headers.get('x-frame-options')).toBeNull();
    } finally {
      await other.close();
    }
  });
});

describe('every form', () => {
  it.each(pages.filter(([name]) => name !== 'signed out' && name !== 'launcher'))(
    'is refused without its token: %s',
    async (_, get) => {
      const visitor = await signedIn();
      const page = await get(visitor);
      const forms = formsOf(page.html);
      expect(forms.length).toBeGreaterThan(0);
      // The first two pages are those of visitors of their own, whose cookies do not matter here.
      for (const { action, hidden } of forms) {
        const own = Object.fromEntries(hidden)['token'] ?? '';
        expect(own).toMatch(/^[A-Za-z0-9_-]{43}$/);
        for (const token of [undefined, '', 'A'.repeat(43), `${own}A`, own.slice(1)]) {
          const body = new URLSearchParams(token === undefined ? {} : { token });
          const answer = await visitor.send('POST', action, body.toString());
          expect(answer).toMatchObject({ status: 403, heading: 'This form is too old' });
        }
      }
    },
  );

  it('is good in its own browser alone', async () => {
    const [ann, bob] = [await signedIn(), await signedIn('zoe')];
    const page = await ann.get('/auth/sign-out');
    const { hidden = [] } = formsOf(page.html)[0] ?? {};
    const answer = await bob.send('POST', '/auth/sign-out', new URLSearchParams(hidden).toString());
    expect(answer.status).toBe(403);
    expect((await ann.submit(page, { from: 'here' })).heading).toBe('You are signed out');
  });

  it('is good in its own session alone, also in the same browser', async () => {
    const visitor = await signedIn();
    const page = await visitor.get('/auth/sign-out');
    await visitor.submit(await visitor.get('/auth/sign-out'), { from: 'here' });
    await visitor.signIn(await visitor.get('/auth/sign-in'), 'zoe');
    expect((await visitor.submit(page, { from: 'here' })).status).toBe(403);
  });

  it('of one page is not good for another one', async () => {
    const visitor = await signedIn();
    const { hidden = [] } = formsOf((await visitor.get('/auth/sign-out')).html)[0] ?? {};
    const body = new URLSearchParams([...hidden, ['do', 'choose'], ['patient', 'p1']]).toString();
    const answer = await visitor.send('POST', `/auth/launcher?${await opens(visitor)}`, body);
    expect(answer.status).toBe(403);
  });

  const senders: readonly [title: string, headers: Record<string, string>, status: number][] = [
    ['of the same origin', { 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['of the same origin, which the policy keeps back', { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }, 200],
    ['that says nothing', {}, 200],
    ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, 403],
    ['of a neighbour', { 'Sec-Fetch-Site': 'same-site' }, 403],
    ['of another origin, in an old browser', { Origin: 'https://evil.example' }, 403],
    ['of an origin that is kept back, in an old browser', { Origin: 'null' }, 403],
  ];
  it.each(senders)('is taken from a page %s or not', async (_, headers, status) => {
    const visitor = await signedIn();
    const page = await visitor.get('/auth/sign-out');
    const { hidden = [] } = formsOf(page.html)[0] ?? {};
    const body = new URLSearchParams([...hidden, ['from', 'here']]).toString();
    expect((await visitor.send('POST', '/auth/sign-out', body, headers)).status).toBe(status);
  });

  it('of this origin is taken, where an old browser says so', async () => {
    const visitor = await signedIn();
    const { hidden = [] } = formsOf((await visitor.get('/auth/sign-out')).html)[0] ?? {};
    const body = new URLSearchParams([...hidden, ['from', 'here']]).toString();
    expect((await visitor.send('POST', '/auth/sign-out', body, { Origin: clinic.url })).status).toBe(200);
  });
});

describe('cookies', () => {
  it('are read by no script and sent by no other site, and end with the session', async () => {
    const visitor = new Visitor(clinic);
    const page = await fetch(`${clinic.url}/auth/sign-in`);
    const set = page.headers.getSetCookie();
    expect(set).toHaveLength(1);
    for (const cookie of set) expect(cookie).toMatch(/^crs_browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    await visitor.signIn(await visitor.get('/auth/sign-in'), 'dr');
    expect(visitor.cookies.get('crs_session')).toMatch(/^[\w-]{43}$/);
    await visitor.submit(await visitor.get('/auth/sign-out'), { from: 'here' });
    expect(visitor.cookies.has('crs_session')).toBe(false);
  });

  it('are __Host- ones that are Secure, where the public URL is https', async () => {
    const other = await openClinic({}, ['--public-url', 'https://records.example', '--trusted-proxies', '127.0.0.1']);
    try {
      const page = await fetch(`http://127.0.0.1:${other.running.port}/auth/sign-in?language=fr`);
      const set = page.headers.getSetCookie();
      expect(set).toHaveLength(2);
      for (const cookie of set)
        expect(cookie).toMatch(/^__Host-crs_\w+=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure/);
      expect(page.headers.get('strict-transport-security')).toContain('max-age');
    } finally {
      await other.close();
    }
  });
});

describe('signing in', () => {
  it('changes the session, so that one that an attacker has set is useless', async () => {
    const visitor = await signedIn();
    const before = visitor.cookies.get('crs_session') ?? '';
    const page = await visitor.get(clinic.authorizeUrl());
    const again = await visitor.get(page.url.replace(/patient$/, 'sign-in'));
    await visitor.signIn(again, 'dr');
    expect(visitor.cookies.get('crs_session')).not.toBe(before);
    const former = new Visitor(clinic);
    former.cookies.set('crs_session', before);
    expect((await former.get('/auth/launcher')).heading).toBe('Sign in');
    const planted = new Visitor(clinic);
    planted.cookies.set('crs_session', 'A'.repeat(43));
    await planted.signIn(await planted.get('/auth/sign-in'), 'dr');
    expect(planted.cookies.get('crs_session')).not.toBe('A'.repeat(43));
  });

  it('says the same of a user who does not exist as of a wrong password', async () => {
    const other = await openClinic();
    try {
      const texts = new Set<string>();
      for (const user of ['dr', 'nobody', 'DR', '<b>"']) {
        const visitor = new Visitor(other);
        const page = await visitor.signIn(await visitor.get('/auth/sign-in'), user, 'wrong');
        expect(page).toMatchObject({ status: 422, title: 'Error: Sign in – Clinical Records' });
        texts.add(page.html.replaceAll(/value="[^"]*"/g, ''));
      }
      expect(texts.size).toBe(1);
    } finally {
      await other.close();
    }
  });

  it('asks for what is missing', async () => {
    const visitor = new Visitor(clinic);
    const page = await visitor.signIn(await visitor.get('/auth/sign-in'), ' ', '');
    expect(page.status).toBe(422);
    expect(page.html).toMatch(/href="#user"[^]*href="#password"/);
    expect(page.html).toMatch(/id="user"[^>]*aria-describedby="user-error"[^>]*aria-invalid="true"/);
  });

  it('has to wait after many wrong passwords, as long as it says', async () => {
    const other = await openClinic();
    try {
      const visitor = new Visitor(other);
      let page = await visitor.get('/auth/sign-in');
      for (let count = 0; page.status !== 429 && count < 20; count += 1)
        page = await visitor.signIn(page, 'dr', 'wrong');
      expect(page).toMatchObject({ status: 429, heading: 'Sign in' });
      expect(plain(page.html)).toMatch(/There were too many attempts\. Wait \d+ seconds?, then try again\./);
      const seconds = Number(page.headers.get('retry-after'));
      expect((await visitor.signIn(page, 'dr', password)).status).toBe(429);
      other.pass((seconds + 1) * 1000);
      expect((await visitor.signIn(page, 'dr', password)).heading).toBe('Open an app');
    } finally {
      await other.close();
    }
  });

  it('does not put a password into the page again', async () => {
    const visitor = new Visitor(clinic);
    const page = await visitor.signIn(await visitor.get('/auth/sign-in'), 'dr-typo', 'a secret of mine');
    expect(page.html).toContain('value="dr-typo"');
    expect(page.html).not.toContain('a secret of mine');
  });
});

describe('signing out', () => {
  it('on all devices ends every session of the user, and of no other user', async () => {
    const [here, there, other] = [await signedIn(), await signedIn(), await signedIn('zoe')];
    await here.submit(await here.get('/auth/sign-out'), { from: 'everywhere' });
    expect((await there.get('/auth/launcher')).heading).toBe('Sign in');
    expect((await other.get('/auth/launcher')).heading).toBe('Open an app');
  });

  it('here ends this session alone, also for who has copied its cookie', async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const thief = new Visitor(clinic);
    thief.cookies.set('crs_session', here.cookies.get('crs_session') ?? '');
    await here.submit(await here.get('/auth/sign-out'), { from: 'here' });
    expect((await thief.get('/auth/launcher')).heading).toBe('Sign in');
    expect((await there.get('/auth/launcher')).heading).toBe('Open an app');
  });
});

describe('what goes wrong here', () => {
  it('is reported on a page with the id in the log, and nothing else', async () => {
    const other = await openClinic();
    await other.running.engine.store.close();
    const page = await new Visitor(other).get('/auth/launcher?x=1').catch(() => undefined);
    const faulty = new Visitor(other);
    faulty.cookies.set('crs_session', 'A'.repeat(43));
    const failed = await faulty.get('/auth/launcher');
    expect(page?.heading).toBe('Sign in');
    expect([500, 503]).toContain(failed.status);
    expect(failed.heading).toMatch(/^(Something went wrong on our side|The records are not available at the moment)$/);
    expect(failed.html).not.toMatch(/sqlite|Error:|\.ts|node_modules/i);
    await other.close().catch(() => undefined);
  });
});

describe('where a browser is sent', () => {
  it.each(['return', 'next', 'redirect', 'url', 'target_link_uri', 'returnTo', 'continue'])(
    'is never what a parameter `%s` says',
    async name => {
      const evil = 'https://evil.example/';
      const visitor = new Visitor(clinic);
      const query = new URLSearchParams({ [name]: evil }).toString();
      const signIn = await visitor.get(`/auth/sign-in?${query}`);
      const after = await visitor.submit(signIn, { user: 'dr', password, [name]: evil });
      expect(after.url).toBe(`${clinic.url}/auth/launcher`);
      const out = await visitor.submit(await visitor.get(`/auth/sign-out?${query}`), { from: 'here', [name]: evil });
      expect(out).toMatchObject({ heading: 'You are signed out', onward: undefined });
      expect(out.html).not.toMatch(/href="[^"?]*evil/);
    },
  );

  it('is not sent to an address that the app is not registered for: it is shown on a page', async () => {
    const page = await new Visitor(clinic).get(clinic.authorizeUrl({ redirect_uri: 'https://evil.example/callback' }));
    expect(page).toMatchObject({
      status: 400,
      heading: 'The app gave a return address that is not registered',
      onward: undefined,
    });
    expect(page.html).not.toContain('evil.example/callback"');
  });

  it('is nowhere for an app that is not known', async () => {
    const page = await new Visitor(clinic).get(clinic.authorizeUrl({ client_id: 'nobody' }));
    expect(page.heading).toBe('This app is not known here');
    expect(plain(page.html)).toContain('invalid_client');
  });
});

describe('a conversation', () => {
  it('is that of the browser in which it began', async () => {
    const mine = new Visitor(clinic);
    const page = await mine.get(clinic.authorizeUrl());
    const stranger = await new Visitor(clinic).get(page.url);
    expect(stranger).toMatchObject({ status: 404, heading: 'This request has expired' });
  });

  it('is over once it is finished', async () => {
    const visitor = await signedIn();
    const consent = await visitor.submit(await visitor.get(clinic.authorizeUrl()), { do: 'choose', patient: 'p1' }, 1);
    const onward = await visitor.submit(consent, { scope: valuesOf(consent.html, 'scope') });
    await visitor.get(onward.onward ?? '');
    const again = await visitor.submit(consent, { scope: valuesOf(consent.html, 'scope') });
    expect(again).toMatchObject({ status: 404, heading: 'This request has expired' });
  });
});

describe('odd requests', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const odd: readonly [string, string, string, string | undefined, Record<string, string>, number, string][] = [
    ['another method', 'PUT', '/auth/sign-in', 'x=1', form, 405, 'This page cannot be opened this way'],
    ['DELETE', 'DELETE', '/auth/launcher', undefined, {}, 405, 'This page cannot be opened this way'],
    [
      'GET of what is posted alone',
      'GET',
      '/auth/interaction/abc/cancel',
      undefined,
      {},
      405,
      'This page cannot be opened this way',
    ],
    ['JSON', 'POST', '/auth/sign-in', '{}', { 'Content-Type': 'application/json' }, 415, 'The form cannot be read'],
    [
      'a form with files',
      'POST',
      '/auth/sign-in',
      'x',
      { 'Content-Type': 'multipart/form-data; boundary=x' },
      415,
      'The form cannot be read',
    ],
    [
      'a form that is too long',
      'POST',
      '/auth/sign-in',
      `user=${'x'.repeat(40_000)}`,
      form,
      413,
      'The form is too large',
    ],
    ['an address below a page', 'GET', '/auth/sign-in/more', undefined, {}, 404, 'This page does not exist'],
    ['a file that does not exist', 'GET', '/auth/assets/nothing.css', undefined, {}, 404, 'This page does not exist'],
    ['a way out of the folder', 'GET', '/auth/assets/..%2fpages.ts', undefined, {}, 404, 'This page does not exist'],
    ['an address of nothing', 'GET', '/auth/nonsense', undefined, {}, 404, 'This page does not exist'],
  ];
  it.each(odd)('are answered by a page: %s', async (_, method, path, body, headers, status, heading) => {
    const page = await new Visitor(clinic).send(method, path, body, headers);
    expect(page).toMatchObject({ status, heading });
    expect(page.headers.get('allow')?.includes('POST') ?? false).toBe(status === 405);
  });

  it('HEAD is GET without the page', async () => {
    const page = await new Visitor(clinic).send('HEAD', '/auth/sign-in');
    expect(page).toMatchObject({ status: 200, html: '' });
  });
});

describe('the files of pages', () => {
  it('are kept by browsers, under a link that is another one with another content', async () => {
    const { html } = await new Visitor(clinic).get('/auth/sign-in');
    const links = [...html.matchAll(/"(\/auth\/assets\/[^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(1);
    for (const link of links) {
      const { status, headers } = await new Visitor(clinic).get(link);
      expect(status).toBe(200);
      expect(link).toMatch(/\?v=[0-9a-f]{12}$/);
      expect(headers.get('cache-control')).toContain('immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});
