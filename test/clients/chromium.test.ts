// Clients in a page of another origin: what CORS and redirects let them do.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { password } from '../smart/support/server.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { media } from '../support/media.ts';
import { hasChromium, openBrowser, unlessChromium } from '../smart/pages/browser/support/chromium.ts';
import { pageServer } from './support/page-server.ts';
import type { PageServer } from './support/page-server.ts';
import { scope, service } from './support/service.ts';

const conditions = 130;

describe.skipIf(!hasChromium)(`clients in Chromium${unlessChromium}`, () => {
  let server: Authorizing;
  let app: PageServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, app, browser] = await Promise.all([service(conditions), pageServer(), openBrowser()]);
    await server.addClient({ id: 'page', redirectUris: [app.url], launchUrls: [app.url] });
  });
  afterAll(() => Promise.all([browser.close(), server.close(), app.close()]));

  /**
   * A page of the app, where it was sent back after it had sent the browser to the server. Both times a script is
   * loaded first.
   */
  async function signedIn(load: string, leave: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(app.url);
    await page.evaluate(load);
    await page.evaluate(`void ${leave}`);
    await page.fill('#user', 'clinician');
    await page.fill('#password', password);
    await page.locator('main button').first().click();
    await page.fill('#query', 'Andersen');
    await page.locator('.search button').click();
    await page.locator('#results input').first().check();
    await page.locator('.go button').click();
    await page.waitForURL(/\/consent$/);
    await page.locator('form > .go button').first().click();
    await page.waitForURL(url => url.href.startsWith(app.url));
    await page.evaluate(load);
    return page;
  }

  it('fhirclient is launched standalone, reads every page, refreshes, and creates', async () => {
    const { base: iss } = server;
    const parameters = { clientId: 'page', scope, iss, redirectUri: app.url, pkceMode: 'required' };
    const load =
      `new Promise(done => document.head.append(Object.assign(document.createElement('script'), { src: ` +
      `'/fhirclient.js', onload: () => done() })))`;
    const page = await signedIn(load, `FHIR.oauth2.authorize(${JSON.stringify(parameters)})`);
    const ask = (script: string): Promise<unknown> => page.evaluate(script);
    await ask('FHIR.oauth2.ready().then(client => { window.client = client; })');
    expect(await ask('client.patient.read()')).toMatchObject({ id: 'ann' });
    expect(await ask('client.user.read()')).toMatchObject({ resourceType: 'Practitioner', id: 'dr' });
    expect(await ask('client.patient.request("Condition", { pageLimit: 0, flat: true })')).toHaveLength(conditions);
    const before = await ask('client.state.tokenResponse.access_token');
    await ask('client.refresh()');
    expect(await ask('client.state.tokenResponse.access_token')).not.toBe(before);
    const body = media({ subject: { reference: 'Patient/ann' } });
    expect(await ask(`client.create(${JSON.stringify(body)})`)).toMatchObject({ resourceType: 'Media' });
    expect(await ask('client.request("Condition/none").catch(error => error.status)')).toBe(404);
    expect(await ask('client.request("Observation?patient=ann").catch(error => error.status)')).toBe(403);
    await page.context().close();
  });

  it('Medplum signs in, reads every page, refreshes, and creates', async () => {
    const options = {
      baseUrl: server.running.url,
      fhirUrlPath: 'r4/demo',
      authorizeUrl: `${server.issuer}/authorize?aud=${encodeURIComponent(server.base)}`,
      tokenUrl: `${server.issuer}/token`,
      clientId: 'page',
    };
    const load =
      `import('/medplum.mjs').then(({ MedplumClient }) => void (window.client = new ` +
      `MedplumClient(${JSON.stringify(options)})))`;
    const { url: redirectUri } = app;
    const page = await signedIn(
      load,
      `client.signInWithRedirect(${JSON.stringify({ clientId: 'page', scope, redirectUri })})`,
    );
    const ask = (script: string): Promise<unknown> => page.evaluate(script);
    await ask(
      `client.processCode(new URLSearchParams(location.search).get('code'), { redirectUri: '${redirectUri}' })`,
    );
    expect(await ask('client.readResource("Patient", "ann")')).toMatchObject({ id: 'ann' });
    const before = await ask('client.getAccessToken()');
    await ask('client.refresh()');
    expect(await ask('client.getAccessToken()')).not.toBe(before);
    const pages = `(async () => {
      let found = 0;
      const pages = client.searchResourcePages('Condition', { patient: 'ann', _count: 50 });
 for await (const page of pages) found += page.length;
      return found;
    })()`;
    expect(await ask(pages)).toBe(conditions);
    const body = media({ subject: { reference: 'Patient/ann' } });
    expect(await ask(`client.createResource(${JSON.stringify(body)})`)).toMatchObject({ resourceType: 'Media' });
    expect(await ask('client.readResource("Patient", "none").catch(error => error.message)')).toContain(
      'No Patient has the id',
    );
    await page.context().close();
  });
});
