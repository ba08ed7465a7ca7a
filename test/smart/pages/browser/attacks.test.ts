import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClinic, password } from '../support/clinic.ts';
import type { Clinic } from '../support/clinic.ts';
import { hasChromium, openBrowser, unlessChromium } from './support/chromium.ts';

// What the browser itself keeps from happening, as the pages ask it to. https://www.w3.org/TR/CSP3/,
// https://www.rfc-editor.org/rfc/rfc6265, https://www.w3.org/TR/referrer-policy/

describe.skipIf(!hasChromium)(`attacks in Chromium${unlessChromium}`, () => {
  let clinic: Clinic;
  let browser: Browser;
  let site: Server;
  /** Another site: `localhost` is another one than `127.0.0.1`. */
  let evil: string;
  /** The requests that it got. */
  const asked: IncomingMessage[] = [];
  let html = '';

  beforeAll(async () => {
    site = createServer((request, response) => {
      asked.push(request);
      response.writeHead(200, { 'Content-Type': 'text/html', 'Access-Control-Allow-Origin': '*' }).end(html);
    });
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    const { port } = site.address() as AddressInfo; // it listens on TCP
    evil = `http://localhost:${port}`;
    clinic = await openClinic({ redirectUris: [`${evil}/callback`], launchUrls: [`${evil}/launch`] });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await clinic.close();
    site.close();
    site.closeAllConnections();
  });

  const signedIn = async (path = '/auth/sign-in'): Promise<Page> => {
    const page = await (await browser.newContext({ locale: 'en-CA' })).newPage();
    await page.goto(`${clinic.url}${path}`);
    await page.fill('#user', 'dr');
    await page.fill('#password', password);
    await page.locator('main button').first().click();
    await page.waitForURL(/\/(?:launcher|patient)$/);
    return page;
  };
  const authorizePath = (): string => clinic.authorizeUrl().slice(clinic.url.length);

  it('a form of another site does nothing, even one with the right token', async () => {
    const page = await signedIn();
    await page.goto(`${clinic.url}/auth/sign-out`);
    const token = await page.locator('input[name=token]').first().inputValue();
    html = `<title>x</title><form method="post" action="${clinic.url}/auth/sign-out">
      <input name="token" value="${token}"><input name="from" value="everywhere"><button>x</button></form>`;
    await page.goto(`${evil}/`);
    const answer = page.waitForResponse(`${clinic.url}/auth/sign-out`);
    await page.click('button');
    expect((await answer).status()).toBe(403);
    await page.goto(`${clinic.url}/auth/launcher`);
    expect(await page.textContent('h1')).toBe('Open an app');
    await page.context().close();
  });

  it('a page of another site reads nothing of ours, with or without the session', async () => {
    const page = await signedIn();
    html = '<title>x</title>';
    await page.goto(`${evil}/`);
    for (const path of ['/auth/sign-out', '/auth/launcher', '/auth/assets/style.css', '/auth/authorize']) {
      const read = `fetch('${clinic.url}${path}', { credentials: 'include' }).then(() => 'read', () => 'refused')`;
      expect(await page.evaluate(read)).toBe('refused');
    }
    await page.context().close();
  });

  it('what were put into a page would neither run, nor send anything away, nor read cookies', async () => {
    const page = await signedIn(authorizePath());
    asked.length = 0;
    const violated = await page.evaluate(`(async () => {
      const violated = new Set();
      document.addEventListener('securitypolicyviolation', event => violated.add(event.effectiveDirective));
      const put = text => document.body.insertAdjacentHTML('beforeend', text);
      put('<img src="${evil}/image" onerror="window.ran = 1">');
      put('<b onclick="window.ran = 1" id="b">b</b><style>p{color:red}</style>');
      put('<form method="post" action="${evil}/form" id="f"></form>');
      put('<iframe src="${evil}/frame"></iframe><base href="${evil}/">');
      const script = document.createElement('script');
      script.textContent = 'window.ran = 1';
      document.body.append(script);
      const far = document.createElement('script');
      far.src = '${evil}/script';
      document.body.append(far);
      document.getElementById('b').click();
      document.getElementById('f').requestSubmit();
      await fetch('${evil}/fetch').catch(() => {});
      for (let tries = 0; violated.size < 8 && tries < 200; tries++)
        await new Promise(resolve => setTimeout(resolve, 100));
      return [...violated];
    })()`);
    expect(await page.evaluate('[window.ran, document.cookie]')).toEqual([undefined, '']);
    expect(violated).toEqual(
      expect.arrayContaining([
        'script-src-elem',
        'script-src-attr',
        'style-src-elem',
        'img-src',
        'connect-src',
        'form-action',
        'frame-src',
        'base-uri',
      ]),
    );
    expect(asked).toEqual([]);
    await page.context().close();
  });

  it('the name of a patient is text, also where the script shows it', async () => {
    const page = await signedIn(authorizePath());
    await page.locator('#query').pressSequentially('lin', { delay: 10 });
    await page.waitForSelector('#results input');
    expect(await page.textContent('#results')).toContain('<B>NG</B>');
    expect(await page.locator('#results b').count()).toBe(0);
    await page.context().close();
  });

  it('an app gets no address of this server, which may contain a code or launch value', async () => {
    html = '<title>App</title>';
    const page = await signedIn(authorizePath());
    asked.length = 0;
    await page.fill('#query', 'okafor');
    await page.waitForSelector('#results input');
    await page.locator('#results input').first().check();
    await page.click('button[value=choose]');
    await page.waitForURL(/\/consent$/);
    await page.locator('main .go button').first().click();
    await page.waitForURL(/\/callback\?/);
    expect(new URL(page.url()).searchParams.has('code')).toBe(true);
    await page.goto(`${clinic.url}/auth/launcher`);
    await page.locator('main button').first().click();
    await page.fill('#query', 'okafor');
    await page.waitForSelector('#results input');
    await page.locator('#results input').first().check();
    await page.click('button[value=choose]');
    await page.waitForURL(/\/launch\?/);
    const pages = asked.filter(({ url }) => /^\/(?:callback|launch)/.test(url ?? ''));
    expect(pages.map(({ url, headers }) => [url?.split('?')[0], headers.referer])).toEqual([
      ['/callback', undefined],
      ['/launch', undefined],
    ]);
    await page.context().close();
  });
});
