import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClinic, password } from '../support/clinic.ts';
import type { Clinic } from '../support/clinic.ts';
import { openApp } from './support/app.ts';
import type { TestApp } from './support/app.ts';
import { expectAccessible, hasChromium, openBrowser, tabTo, takePicture, unlessChromium } from './support/chromium.ts';

// From the launcher to data that the app shows, in a real browser, with the keyboard alone.
// https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html

describe.skipIf(!hasChromium)(`from launch to data in Chromium${unlessChromium}`, () => {
  let app: TestApp;
  let clinic: Clinic;
  let browser: Browser;
  beforeAll(async () => {
    app = await openApp();
    clinic = await openClinic({ redirectUris: [app.redirectUri], launchUrls: [app.launchUrl] });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await clinic.close();
    await app.close();
  });

  /** Each language, width and scheme once: the longest words on the narrowest window. */
  const runs: readonly [language: string, width: number, scheme: 'light' | 'dark', titles: readonly string[]][] = [
    ['en', 1280, 'light', ['Sign in', 'Open an app', 'Open Growth Chart: choose a patient', 'Allow Growth Chart?']],
    [
      'fr',
      360,
      'dark',
      [
        'Ouvrir une session',
        'Lancer une application',
        'Lancer Growth Chart\u00a0: choisir un patient',
        'Autoriser Growth Chart?',
      ],
    ],
  ];
  it.each(runs)('in the language %s, %d wide, %s', async (language, width, colorScheme, titles) => {
    const page = await browser.newPage({
      locale: `${language}-CA`,
      viewport: { width, height: width < 500 ? 740 : 900 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const wrong: string[] = [];
    page.on('console', message => void (message.type() === 'error' && wrong.push(message.text())));
    page.on('pageerror', error => void wrong.push(error.message));
    const seen = async (at: number): Promise<void> => {
      await expect
        .poll(() => page.title(), { timeout: 20_000 })
        .toMatch(new RegExp(`^${titles[at]?.replace('?', '\\?')} – `));
      expect(await page.getAttribute('html', 'lang')).toBe(`${language}-CA`);
      await expectAccessible(page);
      await takePicture(page, `launch-${language}-${width}-${at + 1}`);
    };

    await page.goto(`${clinic.url}/auth/launcher`);
    await seen(0);
    await page.keyboard.type('dr');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');

    await seen(1);
    await tabTo(page, 'input[type=radio]');
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');

    await seen(2);
    await tabTo(page, '#query');
    await page.keyboard.type('1980-02-29');
    await page.waitForSelector('#results input');
    await expect.poll(() => page.locator('#status').textContent(), { timeout: 20_000 }).toMatch(/^2/);
    await tabTo(page, '#results input');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await expectAccessible(page);
    await takePicture(page, `launch-${language}-${width}-3-found`);
    const chosen = await page.locator('.choice:has(input:checked) .name').textContent();
    await page.keyboard.press('Enter');

    await seen(3);
    await tabTo(page, 'input[value=offline_access]');
    await page.keyboard.press('Space');
    await tabTo(page, 'form > .go button');
    await page.keyboard.press('Enter');

    await page.waitForSelector('#data');
    const [family = '', given = ''] = (chosen ?? '').trim().split(', ');
    const data = (await page.textContent('#data')) ?? '';
    expect(data.toUpperCase()).toBe(`${given} ${family}; false`.toUpperCase());
    expect(new URL(page.url()).hostname).toBe('localhost');
    expect(wrong).toEqual([]);
    await page.close();
  });

  it('goes back to the app where the user says no', async () => {
    const page = await toConsent(browser, clinic);
    await page.locator('button[form=deny]').click();
    await page.waitForSelector('#data');
    expect(await page.textContent('#data')).toBe('access_denied');
    await page.context().close();
  });

  it('works without script', async () => {
    const page = await toConsent(browser, clinic, { javaScriptEnabled: false });
    await page.locator('form > .go button').first().click();
    await page.waitForURL(/localhost.*\/done/);
    expect(await page.textContent('#data')).toBe('Ada Okafor; true');
    await page.context().close();
  });
});

/** From the launcher to the consent for Ada Okafor, by the button of the search. */
async function toConsent(
  browser: Browser,
  { url }: Clinic,
  options: { javaScriptEnabled?: boolean } = {},
): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`${url}/auth/launcher`);
  await page.fill('#user', 'dr');
  await page.fill('#password', password);
  await page.locator('main button').first().click();
  await page.locator('input[type=radio]').first().check();
  await page.locator('main button').first().click();
  await page.fill('#query', 'Okafor');
  await page.locator('.search button').click();
  await page.locator('#results input').first().check();
  await page.locator('.go button').click();
  await page.waitForURL(/\/consent$/);
  return page;
}
