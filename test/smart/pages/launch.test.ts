import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClinic } from './support/clinic.ts';
import type { Clinic } from './support/clinic.ts';
import { Visitor, plain, valuesOf } from './support/visitor.ts';

// https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html, as the person at the browser sees it.

let clinic: Clinic;
beforeAll(async () => {
  clinic = await openClinic();
});
afterAll(() => clinic.close());

const redeem = async (code: string): Promise<Record<string, unknown>> => {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: 'http://127.0.0.1:9/callback',
    client_id: 'growth',
    code_verifier: clinic.verifier,
  });
  const response = await fetch(`${clinic.url}/auth/token`, { method: 'POST', body });
  return (await response.json()) as Record<string, unknown>;
};

/** From the request of the app to the address at which the app continues. */
async function toApp(visitor: Visitor, url: string): Promise<URL> {
  const seen = await visitor.get(url);
  return new URL(seen.headers.get('location') ?? seen.url);
}

describe('a clinician who launches an app standalone', () => {
  it('signs in, chooses a patient, agrees, and the app gets a token for that patient', async () => {
    const visitor = new Visitor(clinic);
    const signIn = await visitor.get(clinic.authorizeUrl());
    expect(signIn).toMatchObject({ status: 200, heading: 'Sign in', title: 'Sign in – Clinical Records' });
    const choose = await visitor.signIn(signIn, 'dr');
    expect(choose).toMatchObject({ status: 200, heading: 'Choose a patient' });
    const found = await visitor.submit(choose, { do: 'search', query: 'trem marc' });
    expect(valuesOf(found.html, 'patient')).toEqual(['p2']);
    expect(found.title).toBe('1 patient found. Choose a patient – Clinical Records');
    const consent = await visitor.submit(found, { do: 'choose', patient: 'p2' }, 1);
    expect(consent.heading).toBe('Allow Growth Chart?');
    expect(plain(consent.html)).toContain('TREMBLAY, Marc-André');
    const onward = await visitor.submit(consent, { scope: valuesOf(consent.html, 'scope') });
    expect(onward).toMatchObject({ status: 200, heading: 'One moment' });
    const back = await toApp(visitor, onward.onward ?? '');
    expect(back.href).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?/);
    expect(back.searchParams.get('state')).toBe('state-1');
    expect(await redeem(back.searchParams.get('code') ?? '')).toMatchObject({ patient: 'p2', token_type: 'Bearer' });
  });

  it('may leave out what the app can do without', async () => {
    const visitor = new Visitor(clinic);
    const choose = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'dr');
    const consent = await visitor.submit(choose, { do: 'choose', patient: 'p3' }, 1);
    expect(valuesOf(consent.html, 'scope')).toEqual(['patient/Patient.rs', 'patient/Condition.rs', 'offline_access']);
    const onward = await visitor.submit(consent, { scope: 'patient/Condition.rs' });
    const back = await toApp(visitor, onward.onward ?? '');
    const answer = await redeem(back.searchParams.get('code') ?? '');
    expect(String(answer['scope']).split(' ').sort()).toEqual(
      ['fhirUser', 'launch/patient', 'openid', 'patient/Condition.rs'].sort(),
    );
    expect(answer).not.toHaveProperty('refresh_token');
  });

  it('gets an error if no permission is left for the app', async () => {
    const visitor = new Visitor(clinic);
    const choose = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'dr');
    const consent = await visitor.submit(choose, { do: 'choose', patient: 'p3' }, 1);
    const again = await visitor.submit(consent, { scope: 'offline_access' });
    expect(again).toMatchObject({ status: 422, title: 'Error: Allow Growth Chart? – Clinical Records' });
    expect(plain(again.html)).toContain('Leave at least one permission ticked');
    expect(again.html).toContain('href="#scope"');
  });

  it('declines, and the app gets access_denied', async () => {
    const visitor = new Visitor(clinic);
    const choose = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'dr');
    const consent = await visitor.submit(choose, { do: 'choose', patient: 'p3' }, 1);
    const onward = await visitor.submit(consent, {}, 1);
    const back = await toApp(visitor, onward.onward ?? '');
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'state-1' });
  });

  it('cannot choose a patient who does not exist, or none', async () => {
    const visitor = new Visitor(clinic);
    const choose = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'dr');
    const missing = await visitor.submit(choose, { do: 'choose', patient: 'nobody' }, 1);
    expect(missing).toMatchObject({ status: 403, heading: 'This patient cannot be opened' });
    const none = await visitor.submit(choose, { do: 'choose' }, 1);
    expect(none).toMatchObject({ status: 422, title: 'Error: Choose a patient – Clinical Records' });
  });

  it('may choose another patient before agreeing', async () => {
    const visitor = new Visitor(clinic);
    const choose = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'dr');
    const consent = await visitor.submit(choose, { do: 'choose', patient: 'p3' }, 1);
    const again = await visitor.get(consent.url.replace(/consent$/, 'patient'));
    expect(again.heading).toBe('Choose a patient');
    const other = await visitor.submit(again, { do: 'choose', patient: 'p1' }, 1);
    expect(plain(other.html)).toContain('TREMBLAY, Zoë');
  });
});

describe('a user', () => {
  it('who is a patient gets that patient and no choice', async () => {
    const visitor = new Visitor(clinic);
    const consent = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'zoe');
    expect(consent.heading).toBe('Allow Growth Chart?');
    expect(plain(consent.html)).toContain('TREMBLAY, Zoë');
    expect(plain(consent.html)).not.toContain('Choose another patient');
  });

  it('who is neither clinician nor patient gets instructions', async () => {
    const visitor = new Visitor(clinic);
    const page = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'clerk');
    expect(page).toMatchObject({ status: 403, heading: 'You cannot choose a patient' });
    expect(page.html).toMatch(/href="[^"]*\/sign-in"/);
  });

  it('of another partition gets an error, and is not signed in', async () => {
    const visitor = new Visitor(clinic);
    const page = await visitor.signIn(await visitor.get(clinic.authorizeUrl()), 'elsewhere');
    expect(page).toMatchObject({ status: 403, heading: 'Sign in' });
    expect(plain(page.html)).toContain('This account has no access to these records.');
    expect(visitor.cookies.has('crs_session')).toBe(false);
  });

  it('who is signed in is not asked again, and may use another account', async () => {
    const visitor = new Visitor(clinic);
    await visitor.signIn(await visitor.get('/auth/sign-in'), 'zoe');
    const consent = await visitor.get(clinic.authorizeUrl());
    expect(consent.heading).toBe('Allow Growth Chart?');
    const signIn = await visitor.get(consent.url.replace(/consent$/, 'sign-in'));
    const choose = await visitor.signIn(signIn, 'dr');
    expect(choose.heading).toBe('Choose a patient');
  });
});

describe('the launcher', () => {
  it('plays the EHR: an app, a patient, and the app opens with iss and launch', async () => {
    const visitor = new Visitor(clinic);
    const signIn = await visitor.get('/auth/launcher');
    expect(signIn.heading).toBe('Sign in');
    const apps = await visitor.signIn(signIn, 'dr');
    expect(apps.heading).toBe('Open an app');
    const [key = ''] = valuesOf(apps.html, 'open');
    const choose = await visitor.get(`/auth/launcher?${new URLSearchParams({ open: key }).toString()}`);
    expect(choose.heading).toBe('Open Growth Chart: choose a patient');
    const found = await visitor.submit(choose, { do: 'search', query: '1980-02-29 okafor' });
    expect(valuesOf(found.html, 'patient')).toEqual(['p3']);
    const onward = await visitor.submit(found, { do: 'choose', patient: 'p3', banner: '1' }, 1);
    const opened = new URL(onward.onward ?? '');
    expect(`${opened.origin}${opened.pathname}`).toBe('http://127.0.0.1:9/launch');
    expect(opened.searchParams.get('iss')).toBe(clinic.base);

    const launch = opened.searchParams.get('launch') ?? '';
    const scope = 'openid fhirUser launch patient/Patient.rs';
    const consent = await visitor.get(clinic.authorizeUrl({ scope, launch }));
    expect(consent.heading).toBe('Allow Growth Chart?');
    expect(plain(consent.html)).toContain('OKAFOR, Ada');
    const agreed = await visitor.submit(consent, { scope: valuesOf(consent.html, 'scope') });
    const back = await toApp(visitor, agreed.onward ?? '');
    expect(await redeem(back.searchParams.get('code') ?? '')).toMatchObject({
      patient: 'p3',
      need_patient_banner: true,
    });
  });

  it('opens apps for a patient with the own record alone', async () => {
    const visitor = new Visitor(clinic);
    const apps = await visitor.signIn(await visitor.get('/auth/sign-in'), 'zoe');
    const [key = ''] = valuesOf(apps.html, 'open');
    const page = await visitor.get(`/auth/launcher?${new URLSearchParams({ open: key }).toString()}`);
    expect(plain(page.html)).toContain('TREMBLAY, Zoë');
    expect(valuesOf(page.html, 'patient')).toEqual([]);
    const onward = await visitor.submit(page, { do: 'choose', patient: 'p2' });
    expect(onward.onward).toMatch(/^http:\/\/127\.0\.0\.1:9\/launch\?/);
    const launch = new URL(onward.onward ?? '').searchParams.get('launch') ?? '';
    const consent = await visitor.get(clinic.authorizeUrl({ scope: 'launch patient/Patient.rs', launch }));
    expect(plain(consent.html)).toContain('TREMBLAY, Zoë');
  });

  it('says what is missing to who has no app, and to who has no patient', async () => {
    const visitor = new Visitor(clinic);
    const none = await visitor.signIn(await visitor.get('/auth/sign-in'), 'elsewhere');
    expect(none.heading).toBe('No app can be opened from here');
    const clerk = new Visitor(clinic);
    const apps = await clerk.signIn(await clerk.get('/auth/sign-in'), 'clerk');
    const [key = ''] = valuesOf(apps.html, 'open');
    const page = await clerk.get(`/auth/launcher?${new URLSearchParams({ open: key }).toString()}`);
    expect(page).toMatchObject({ status: 403, heading: 'You cannot choose a patient' });
  });
});
