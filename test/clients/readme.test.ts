// "Your app on localhost:3000 in five minutes" of src/smart/README.md, as it is written there.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, root } from '../cli/process.ts';
import type { Launched } from '../cli/process.ts';
import { freePort } from '../support/free-port.ts';
import { hasChromium, openBrowser, takePicture, unlessChromium } from '../smart/pages/browser/support/chromium.ts';
import { example, section } from '../support/readmes.ts';

const [page, heading] = ['src/smart/README.md', 'Your app on localhost:3000 in five minutes'] as const;
const text = section(page, heading);
const textOf = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';

describe.skipIf(!hasChromium)(`the app of the README in Chromium${unlessChromium}`, () => {
  let folder: string;
  let service: Launched;
  let files: ChildProcess;
  let browser: Browser;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crs-readme-'));
    // The ports may be in use here: the browser goes to others, and knows nothing of it.
    const [servicePort, filesPort] = [await freePort(), await freePort()];
    const store = `sqlite:${join(folder, 'records.sqlite')}`;
    const where = ['--store', store, '--port', String(servicePort), '--public-url', 'http://127.0.0.1:8080'];
    service = launch(['serve', '--demo', '--log', 'error', ...where]);
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/app.html'), example(page, heading, 'html'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const command = example(page, heading, 'sh').replace('listen(3000,', `listen(${filesPort},`);
    files = spawn('sh', ['-c', `exec ${command}`], { cwd: folder, stdio: 'inherit' });
    const rules = `MAP 127.0.0.1:8080 127.0.0.1:${servicePort}, MAP localhost:3000 localhost:${filesPort}`;
    [browser] = await Promise.all([
      openBrowser(`--host-resolver-rules=${rules}`),
      answers(`http://localhost:${filesPort}/`),
      service.until(/Ctrl-C stops it[^]*password[^]*\n\n/),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    files.kill();
    service.process.kill();
    await service.ended;
    rmSync(folder, { recursive: true, force: true });
  });

  /** As the page says. */
  const user = textOf(/sign in as `([^`]*)`/);
  const password = textOf(/the password `([^`]*)`/);
  const [launcher, launchUrl, alone] = [
    textOf(/open `([^`]*launcher)`/),
    textOf(/the app at `([^`]*)`/),
    textOf(/open `([^`]*3000\/)`/),
  ];

  /** What the page of the app finally shows. */
  async function shown(page: Page): Promise<{ name: string; about: string; conditions: readonly string[] }> {
    await expect.poll(() => page.locator('p').textContent(), { timeout: 20_000 }).not.toBe('');
    return {
      name: (await page.textContent('h1')) ?? '',
      about: (await page.textContent('p')) ?? '',
      conditions: await page.locator('li').allTextContents(),
    };
  }

  it.each(['en', 'fr'])(
    'goes from the launcher to data, and from the app itself, in the language %s',
    async language => {
      const page = await browser.newPage({ locale: `${language}-CA`, viewport: { width: 1280, height: 900 } });
      const picture = (name: string): Promise<void> => takePicture(page, `readme-${language}-${name}`);
      const wrong: string[] = [];
      page.on('console', message => void (message.type() === 'error' && wrong.push(message.text())));
      page.on('pageerror', error => void wrong.push(error.message));

      await page.goto(launcher);
      expect(await page.getAttribute('html', 'lang')).toBe(`${language}-CA`);
      await page.fill('#user', user);
      await page.fill('#password', password);
      await picture('1-sign-in');
      await page.locator('main button').first().click();
      await page.locator('.choice').filter({ hasText: launchUrl }).first().locator('input').check();
      await picture('2-launcher');
      await page.locator('main button').first().click();
      await choosePatient(page);
      await picture('3-patient');
      await page.locator('.go button').click();
      await page.waitForURL(/\/consent$/);
      await picture('4-consent');
      await page.locator('form > .go button').first().click();
      const launched = await shown(page);
      await picture('5-app');
      expect(launched.about).toMatch(/^Born \d{4}-\d\d-\d\d\. Read by Adaeze Okafor\.$/);
      expect(launched.conditions.length).toBeGreaterThan(0);

      await page.goto(alone);
      await choosePatient(page);
      await page.locator('.go button').click();
      await page.waitForURL(/\/consent$/);
      await picture('6-consent-alone');
      await page.locator('form > .go button').first().click();
      expect(await shown(page)).toEqual(launched);
      expect(wrong).toEqual([]);
      await page.context().close();
    },
  );

  it('says why there is no data where the user does not allow it', async () => {
    const page = await browser.newPage();
    await page.goto(alone);
    await page.fill('#user', user);
    await page.fill('#password', password);
    await page.locator('main button').first().click();
    await choosePatient(page);
    await page.locator('.go button').click();
    await page.locator('button[form=deny]').click();
    expect(await shown(page)).toMatchObject({ about: expect.stringMatching(/^access_denied: /), conditions: [] });
    await page.context().close();
  });
});

/** Waits until something answers there. */
async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await fetch(url).then(({ ok }) => ok, () => false)) return; // prettier-ignore
    await setTimeout(50);
  }
  throw new Error(`Nothing answers at ${url}`);
}

/** The first Tremblay whom the search finds. */
async function choosePatient(page: Page): Promise<void> {
  await page.fill('#query', 'Tremblay');
  await page.locator('.search button').click();
  await page.locator('#results input').first().check();
}
