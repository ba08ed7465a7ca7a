import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClinic, password } from '../support/clinic.ts';
import type { Clinic } from '../support/clinic.ts';
import { expectAccessible, hasChromium, openBrowser, tabTo, takePicture, unlessChromium } from './support/chromium.ts';

// https://www.w3.org/TR/WCAG22/: what needs a browser to be seen.

describe.skipIf(!hasChromium)(`pages in Chromium${unlessChromium}`, () => {
  let clinic: Clinic;
  let browser: Browser;
  beforeAll(async () => {
    [clinic, browser] = await Promise.all([openClinic(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await clinic.close();
  });

  const open = async (path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const page = await (await browser.newContext({ locale: 'en-CA', ...options })).newPage();
    await page.goto(`${clinic.url}${path}`);
    return page;
  };
  const signIn = async (page: Page, user = 'dr', secret = password): Promise<void> => {
    await page.fill('#user', user);
    await page.fill('#password', secret);
    await page.locator('main button').first().click();
  };
  const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement?.outerHTML ?? ""');
  const authorizePath = (): string => clinic.authorizeUrl().slice(clinic.url.length);

  it('say what is wrong, take the focus there, and lead to the field', async () => {
    const page = await open('/auth/sign-in');
    expect(await focused(page)).toContain('id="user"');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alert]');
    expect(await page.title()).toBe('Error: Sign in – Clinical Records');
    expect(await focused(page)).toContain('role="alert"');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toContain('id="user"');
    await expectAccessible(page);
    await takePicture(page, 'sign-in-wrong');
    await page.context().close();
  });

  it('are read at 200 % and on the narrowest window without scrolling sideways', async () => {
    const narrow = { viewport: { width: 320, height: 640 }, deviceScaleFactor: 2, locale: 'fr-CA' };
    const page = await open(authorizePath(), narrow);
    await expectAccessible(page);
    await signIn(page);
    await page.fill('#query', 'tremblay');
    await page.waitForSelector('#results input');
    await expectAccessible(page);
    await page.locator('#results input').first().check();
    await page.locator('.go button').click();
    await page.waitForURL(/\/consent$/);
    await expectAccessible(page);
    await takePicture(page, 'consent-320');
    for (const path of ['/auth/launcher', '/auth/sign-out', '/auth/interaction/none', '/auth/authorize?client_id=x']) {
      await page.goto(`${clinic.url}${path}`);
      await expectAccessible(page);
    }
    await takePicture(page, 'error-320');
    expect(await page.textContent('h1')).toBe('Cette application est inconnue ici');
    await page.context().close();
  });

  it('report errors, the sign-out, and a patient with the own record', async () => {
    const page = await open('/auth/sign-in', { viewport: { width: 1100, height: 800 } });
    await signIn(page, 'zoe');
    await page.waitForURL(/launcher/);
    await page.locator('input[type=radio]').first().check();
    await page.locator('main button').first().click();
    await page.waitForSelector('.chosen');
    await expectAccessible(page);
    await takePicture(page, 'launcher-own-record');
    await page.goto(`${clinic.url}/auth/sign-out`);
    await expectAccessible(page);
    await takePicture(page, 'sign-out');
    await page.locator('main button').first().click();
    await expect.poll(() => page.title(), { timeout: 20_000 }).toContain('You are signed out');
    await expectAccessible(page);
    await page.goto(clinic.authorizeUrl({ redirect_uri: 'https://evil.example/' }));
    await expectAccessible(page);
    await takePicture(page, 'error');
    await page.context().close();
  });

  it('announce the results to a screen reader while the user types, without moving the focus', async () => {
    const page = await open(authorizePath());
    await signIn(page);
    await page.waitForURL(/\/patient$/);
    expect(await focused(page)).toContain('id="query"');
    await page.keyboard.type('martin');
    await expect.poll(() => page.textContent('[role=status]'), { timeout: 20_000 }).toContain('The first 20 patients');
    expect(await focused(page)).toContain('id="query"');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('nobody');
    await expect.poll(() => page.textContent('[role=status]'), { timeout: 20_000 }).toContain('No patient found');
    expect(await page.locator('#results input').count()).toBe(0);
    await takePicture(page, 'patient-none');
    await page.context().close();
  });

  /** The page where a patient is chosen, with patients found by what was typed. */
  const found = async (typed: string): Promise<Page> => {
    const page = await open(authorizePath());
    await signIn(page);
    await page.waitForURL(/\/patient$/);
    await page.fill('#query', typed);
    await page.waitForSelector('#results input');
    await page.locator('#results input').first().check();
    return page;
  };
  const choices = (page: Page): Promise<number> => page.locator('#results input').count();

  it.each([
    ['of one letter', 'o'],
    ['of nothing', ''],
    ['of one more letter', 'tremblayx'],
  ])('show no patient of an earlier search beside a new one %s', async (_, typed) => {
    const page = await found('tremblay');
    // no answer comes, so that the page shows only what it does without an answer
    await page.route(/\/patient$/, () => undefined);
    await page.fill('#query', typed);
    expect(await choices(page)).toBe(0);
    expect(await page.inputValue('form:not(.search) input[name=query]')).toBe(typed);
    expect(await page.textContent('[role=status]')).not.toContain('found');
    await page.context().close();
  });

  it('show no patient while a search runs, and say that it does', async () => {
    const page = await found('tremblay');
    let answer = (): void => undefined;
    const held = new Promise<void>(resolve => (answer = resolve));
    await page.route(/\/patient$/, async route => {
      await held;
      await route.continue();
    });
    await page.fill('#query', 'okafor');
    await expect.poll(() => page.textContent('[role=status]'), { timeout: 20_000 }).toBe('Searching…');
    expect(await choices(page)).toBe(0);
    answer();
    await page.waitForSelector('#results input');
    expect(await page.textContent('#results')).toMatch(/okafor/i);
    expect(await page.textContent('#results')).not.toMatch(/tremblay/i);
    expect(await page.locator('#results input:checked').count()).toBe(0);
    await page.context().close();
  });

  it('show no patient whose answer comes after another search has begun', async () => {
    const page = await open(authorizePath());
    await signIn(page);
    await page.waitForURL(/\/patient$/);
    const asked: string[] = [];
    let answer = (): void => undefined;
    const held = new Promise<void>(resolve => (answer = resolve));
    await page.route(/\/patient$/, async route => {
      const body = route.request().postData() ?? '';
      asked.push(body);
      if (body.includes('query=tremblay')) await held;
      await route.continue().catch(() => undefined); // the page has left it
    });
    await page.fill('#query', 'tremblay');
    await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(1);
    await page.fill('#query', 'o');
    answer();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#results input');
    expect(await page.textContent('#results')).toMatch(/okafor/i);
    expect(await page.textContent('#results')).not.toMatch(/tremblay/i);
    await page.context().close();
  });

  it('search for one character when the form is sent, with the script and without it', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open(authorizePath(), { javaScriptEnabled });
      await signIn(page);
      await page.waitForURL(/\/patient$/);
      await page.fill('#query', '王');
      await page.press('#query', 'Enter');
      await page.waitForSelector('#results input');
      expect(await page.textContent('#results')).toContain('王');
      expect(await page.textContent('[role=status]')).toContain('1 patient found.');
      await page.context().close();
    }
  });

  it('say so where a search does not work', async () => {
    const page = await open(authorizePath());
    await signIn(page);
    await page.waitForURL(/\/patient$/);
    await page.route(/\/patient$/, route => route.abort());
    await page.keyboard.type('martin');
    await expect
      .poll(() => page.textContent('[role=status]'), { timeout: 20_000 })
      .toBe('The search did not work. Try again in a moment.');
    await page.context().close();
  });

  it('let the keyboard go past the top to the content', async () => {
    const page = await open('/auth/interaction/none');
    await tabTo(page, '.skip');
    expect(await page.locator('.skip').evaluate(link => link.getBoundingClientRect().top >= 0)).toBe(true);
    await page.keyboard.press('Enter');
    expect(await focused(page)).toContain('<main');
    await page.context().close();
  });

  it('keep the language that was chosen', async () => {
    const page = await open('/auth/sign-in');
    await page.locator('header a').click();
    expect(await page.textContent('h1')).toBe('Ouvrir une session');
    await signIn(page);
    await page.waitForURL(/launcher/);
    expect(await page.textContent('h1')).toBe('Lancer une application');
    await page.context().close();
  });

  it('are shown in no frame of another site', async () => {
    const outer = createServer((_, response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(`<title>x</title><iframe src="${clinic.url}/auth/sign-in" title="x"></iframe>`);
    });
    await new Promise<void>(resolve => outer.listen(0, '127.0.0.1', resolve));
    const { port } = outer.address() as AddressInfo; // it listens on TCP
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/`);
    const frame = page.frames()[1];
    expect(await frame?.locator('#user').count()).toBe(0);
    expect(frame?.url()).toMatch(/^chrome-error:/);
    await page.close();
    outer.close();
  });

  it('show nothing to who goes back after signing out', async () => {
    const page = await open(authorizePath());
    await signIn(page);
    await page.waitForURL(/\/patient$/);
    await page.fill('#query', 'tremblay');
    await page.waitForSelector('#results input');
    await page.goto(`${clinic.url}/auth/sign-out`);
    await page.locator('main button').first().click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goBack();
    await page.goBack();
    expect(await page.locator('#results input').count()).toBe(0);
    expect(await page.textContent('h1')).toBe('Sign in');
    await page.context().close();
  });
});
