import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executable = [process.env['CRS_TEST_CHROMIUM'], ...places].find(path => path !== undefined && existsSync(path));

/** Whether there is a browser; and the note in the titles of tests that are skipped without one. */
export const hasChromium = executable !== undefined;
export const unlessChromium = hasChromium
  ? ''
  : ' (left out: no Chromium is installed, and CRS_TEST_CHROMIUM names none)';

/** No other server is requested. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** `more`: flags beside these. */
export function openBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: executable ?? '', args: [...flags, ...more] });
}

/** Where pictures of pages go, to be looked at. */
const pictures = join(import.meta.dirname, '../../../../../.cache/screenshots');
mkdirSync(pictures, { recursive: true });

export const takePicture = async (page: Page, name: string): Promise<void> =>
  void (await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true }));

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Expects that axe finds nothing, and that nothing is wider than the window, once the page and its style sheet are
 * loaded: the title of a page is there before its colours. https://www.w3.org/TR/WCAG22/#reflow
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate(axe);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} })`);
  const { violations } = found as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  const findings = violations.map(({ id, nodes }) => [
    page.url(),
    id,
    ...nodes.map(node => `${node.html} ${node.failureSummary}`),
  ]);
  expect(findings).toEqual([]);
  const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect([await page.title(), wider]).toEqual([await page.title(), 0]);
}

/** Goes on by the tab key until the focus is on what the selector means. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The tab key does not lead to ${selector} on ${page.url()}`);
}
