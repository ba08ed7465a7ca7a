// https://www.w3.org/TR/WCAG22/: what needs a browser to be seen.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClinic, password } from '../../smart/pages/support/clinic.ts';
import type { Clinic } from '../../smart/pages/support/clinic.ts';
import {
  expectAccessible,
  hasChromium,
  openBrowser,
  takePicture,
  unlessChromium,
} from '../../smart/pages/browser/support/chromium.ts';

describe.skipIf(!hasChromium)(`the explorer in Chromium${unlessChromium}`, () => {
  let clinic: Clinic;
  let browser: Browser;
  beforeAll(async () => {
    [clinic, browser] = await Promise.all([openClinic(), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await clinic.close();
  });

  const records = '/r4/demo/Patient?family=tremblay';

  /** Opens a page of records, and signs in as a clinician by the authorization server. */
  const signIn = async (options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const page = await (await browser.newContext({ locale: 'en-CA', ...options })).newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(`${clinic.url}${records}`);
    await page.locator('button[value=user]').click();
    await page.fill('#user', 'dr');
    await page.fill('#password', password);
    await page.locator('main button').first().click();
    await page.waitForURL(/\/consent$/);
    await page.locator('main button[value=allow], main .go button').first().click();
    await page.waitForURL(`${clinic.url}${records}`);
    return page;
  };
  const paths = [
    '/',
    '/r4/demo',
    '/r4/demo/Patient?_count=3',
    '/r4/demo/Patient?_count=3&_view=json',
    '/r4/demo/Patient?nmae=x',
    '/r4/demo/Condition?_count=1',
    '/explorer/demo/types/Patient?birthdate=ge1980-01-01',
    '/explorer/demo/sign-in',
    '/r4/demo/Observation',
    `/r4/${'a-long-name-'.repeat(5)}`,
    '/nothing',
  ];

  it.each([
    ['English, wide', { viewport: { width: 1280, height: 900 } }],
    ['French, dark and narrow', { locale: 'fr-CA', colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
  ] as const)('axe finds nothing on any page, and none scrolls sideways: %s', async (name, options) => {
    const page = await signIn(options);
    const failures: string[] = [];
    page.on('console', message => {
      if (message.type() === 'error' && !message.text().includes('status of 4')) failures.push(message.text());
    });
    for (const [at, path] of paths.entries()) {
      await page.goto(`${clinic.url}${path}`);
      for (const details of await page.locator('details').all()) await details.evaluate(one => (one.open = true));
      await expectAccessible(page);
      await takePicture(page, `explorer-${at}-${name.split(',')[0]}`);
    }
    expect(failures).toEqual([]); // nothing is blocked by the Content-Security-Policy
    await page.context().close();
  });

  it('mark the current view where the colours are those of the system', async () => {
    const page = await signIn({ forcedColors: 'active' });
    const bordersOf = (selector: string): Promise<string[]> =>
      page.evaluate(
        `[...new Set(Array.from(document.querySelectorAll('nav.tabs a${selector}'), link =>
          getComputedStyle(link).borderBottomColor))]`,
      );
    const [current, others] = [await bordersOf('[aria-current]'), await bordersOf(':not([aria-current])')];
    expect([current.length, others.length, others[0] === current[0]]).toEqual([1, 1, false]);
    await page.context().close();
  });

  it('are used without script', async () => {
    const page = await signIn({ javaScriptEnabled: false });
    await page.locator('nav.tabs a[href*="/types/"]').click();
    expect(await page.inputValue('[id="v.family"]')).toBe('tremblay');
    await page.fill('[id="v.family"]', 'martin');
    await page.locator('form.query-form button').click();
    await page.waitForURL(`${clinic.url}/r4/demo/Patient?family=martin`);
    await page.locator('thead a[href*="_sort=birthdate"]').click();
    await page.waitForURL(/_sort=birthdate/);
    expect(await page.locator('th[aria-sort=ascending]').count()).toBe(1);
    await page.locator('form.who button').click();
    await page.waitForURL(`${clinic.url}/`);
    expect(await page.locator('form.who').count()).toBe(0);
    await page.context().close();
  });

  it('suggest references while the visitor types, and copy code', async () => {
    const page = await signIn();
    await page.goto(`${clinic.url}/explorer/demo/types/Condition`);
    const field = page.locator('input[data-suggest][data-types~=Patient]').first();
    await field.pressSequentially('trem');
    const options = page.locator(`datalist[id="${await field.getAttribute('list')}"] option`);
    await expect.poll(() => options.count(), { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await options.first().getAttribute('value')).toMatch(/^Patient\//);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${clinic.url}/r4/demo/Patient?_count=1`);
    await page.locator('details.samples summary').click();
    await page.locator('button.copy').first().click();
    await expect.poll(() => page.locator('button.copy').first().textContent(), { timeout: 20_000 }).toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -H/);
    await page.context().close();
  });
});
