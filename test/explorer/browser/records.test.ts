// https://www.w3.org/TR/WCAG22/: what needs a browser to be seen.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/explorer/pages.ts';
import { createPaths } from '../../../src/interaction/routes.ts';
import { generate } from '../../../src/demo/generate.ts';
import {
  expectAccessible,
  hasChromium,
  openBrowser,
  takePicture,
  unlessChromium,
} from '../../smart/pages/browser/support/chromium.ts';
import { exportFolder, exported } from '../../bulk/export/support.ts';
import { onlyOfR4 } from '../../support/r4-of.ts';
import { observation } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';

const evil = '<div xmlns="http://www.w3.org/1999/xhtml"><p title="x" style="color:red">Narrative</p></div>';
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The words of up to 20 letters that are on two lines, in a browser. Identifiers, URLs and code may be. */
const brokenWords = `(() => {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (node.parentElement.closest('script, style, pre, code, textarea, svg')) continue;
    for (const { 0: word, index } of node.data.matchAll(/(?<![^\\s(])\\p{L}{3,20}(?![^\\s,.;:)])/gu)) {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word);
    }
  }
  return [...new Set(found)];
})()`;

/** The id of an export that is complete. */
async function exportedJob(server: Served): Promise<string> {
  const { job } = await exported(server, '/$export?_type=Patient');
  return job.split('/').at(-1) ?? '';
}

describe.skipIf(!hasChromium)(`pages of records in Chromium${unlessChromium}`, () => {
  const records = [...generate({ patients: 3, seed: 905, date: '2026-11-20' })];
  // Of all types some pages have thousands of rows, which axe takes a minute for.
  const capability = onlyOfR4([...new Set(records.map(({ type }) => type))]);
  let server: Served;
  let browser: Browser;
  let patient: string;
  const paths: Record<string, string> = {};
  beforeAll(async () => {
    const of = (type: string): string => `${type}/${records.find(one => one.type === type)?.id}`;
    patient = of('Patient');
    const extra = [
      {
        resourceType: 'Patient',
        id: 'x1',
        text: { status: 'generated', div: evil },
        gender: 'y',
        photo: [{ contentType: 'image/png', data: png }],
      },
      { resourceType: 'Patient', id: 'x3', identifier: [{ value: 'x'.repeat(300) }] },
      observation('x2', {
        subject: { reference: patient },
        valueQuantity: { value: 190, unit: 'cm' },
        referenceRange: [{ low: { value: 150, unit: 'cm' }, high: { value: 180, unit: 'cm' } }],
      }),
    ];
    [server, browser] = await Promise.all([
      serve([...records.map(({ text }) => text), ...extra], ['--capability', capability, ...exportFolder()]),
      openBrowser(),
    ]);
    const root = '//explorer/demo';
    Object.assign(paths, {
      start: '//',
      interface: '',
      statement: '/metadata',
      signIn: `${root}/sign-in`,
      form: `${root}/types/Observation?code=8302-2&date=ge2024`,
      results: '/Observation?_count=20&_sort=-date',
      resultsAsJson: '/Condition?_count=3&_view=json',
      compartment: `/${patient}/*?_count=10`,
      membersOf: `/${patient}/Observation?_count=5`,
      refused: '/Observation?cod=1',
      history: '/_history?_count=5',
      historyOfType: '/Patient/_history?_count=5',
      older: '/Patient/x1/_history/1',
      overview: `${root}/overview/${patient}?years=all`,
      sheet: `/${patient}`,
      rich: '/Patient/x1',
      findings: '/Patient/x1?_view=check',
      json: `/${of('Condition')}?_view=json`,
      longJson: '/Patient/x3?_view=json',
      versions: `/${patient}/_history`,
      profiles: `${root}/profiles`,
      profile: `${root}/profile?url=http://hl7.org/fhir/StructureDefinition/bp`,
      type: `${root}/profile?url=Observation`,
      indexes: `${root}/indexes`,
      indexesOfType: `${root}/indexes?type=Observation`,
      exports: `${root}/exports`,
      job: `${root}/exports/${await exportedJob(server)}`,
      explain: `${root}/explain?query=${encodeURIComponent('Observation?code=8302-2&_sort=-date')}`,
    });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const open = async (
    path: string,
    options: Parameters<Browser['newContext']>[0] = {},
    wrong: string[] = [],
  ): Promise<Page> => {
    const page = await (await browser.newContext({ locale: 'en-CA', ...options })).newPage();
    page.on('pageerror', error => wrong.push(error.message));
    page.on('console', message => {
      if (!/status of 40[01]/.test(message.text())) wrong.push(message.text());
    });
    const { origin } = new URL(server.base);
    await page.goto(path.startsWith('//') ? `${origin}${path.slice(1)}` : `${server.base}${path}`);
    return page;
  };

  it('are all among those that are tried here', () => {
    const find = createPaths(pages.map(({ pattern }) => [pattern, pattern]));
    const tried = new Set(
      Object.values(paths).map(path => {
        const below = path.startsWith('//') ? path.slice(1) : `/r4/demo${path}`;
        return find(below.split('?')[0] ?? '')?.value;
      }),
    );
    const others = pages.filter(({ get }) => get !== undefined).map(({ pattern }) => pattern);
    // Redirects, parts of pages and an alias; below, another alias and paths of no interaction.
    const without = ['/language', '/open', '/callback', '/search', '/suggest', '/picture/:type/:id', '/explorer'];
    without.push('/:file', '/_jobs/:job'); // files to keep, and redirects
    const pagesOnly = others.filter(pattern => !without.some(end => pattern.endsWith(end)));
    expect(pagesOnly.filter(pattern => !tried.has(pattern))).toEqual(['/r4/:partition/', '/r4/:partition/*']);
  });

  it('are whole on paper', async () => {
    for (const name of ['results', 'resultsAsJson', 'longJson', 'overview', 'sheet', 'versions', 'type', 'explain']) {
      const page = await open(paths[name] ?? '', { viewport: { width: 720, height: 1000 } }); // of a letter, at 96 dpi
      await page.emulateMedia({ media: 'print' });
      const cut = await page.evaluate(`[...document.querySelectorAll('main, main *')]
        .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible')
        .filter(one => !one.matches('.unseen'))
        .map(one => one.outerHTML.slice(0, 80))`);
      const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect([name, cut, wider]).toEqual([name, [], 0]);
      expect([name, await page.locator('nav:visible').count()]).toEqual([name, 0]);
      await takePicture(page, `print-${name}`);
      await page.context().close();
    }
  });

  it.each([390, 320])(
    'break no word at %i px',
    async width => {
      const found: unknown[] = [];
      for (const [name, path] of Object.entries(paths)) {
        const page = await open(path, { viewport: { width, height: 800 } });
        await page.waitForLoadState('load');
        const broken = await page.evaluate(brokenWords);
        found.push([name, broken, await page.evaluate('document.documentElement.scrollWidth')]);
        await takePicture(page, `phone-${name}-${width}`);
        await page.context().close();
      }
      expect(found).toEqual(Object.keys(paths).map(name => [name, [], width]));
    },
    120_000,
  );

  it('are used by the keyboard, without script', async () => {
    const page = await open(paths['results'] ?? '', { javaScriptEnabled: false });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // the first link skips what all pages have
    expect(new URL(page.url()).hash).toBe('#main');
    const reach = async (selector: string): Promise<void> => {
      for (let count = 0; count < 60; count += 1) {
        await page.keyboard.press('Tab');
        if ((await page.locator(`${selector}:focus`).count()) > 0) return;
      }
      throw new Error(`The tab key does not lead to ${selector}`);
    };
    await reach('nav.tabs a[href*="/types/"]');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/types\/Observation/);
    await reach('[id="v._id"]');
    await page.keyboard.type('x2');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/Observation\?.*_id=x2/);
    await reach('tbody a');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/Observation\/x2$/);
    await page.context().close();
  });

  it.each([
    ['wide and light, in English', 'wide', { viewport: { width: 1280, height: 900 } }],
    [
      'narrow and dark, in French',
      'narrow',
      { viewport: { width: 320, height: 640 }, locale: 'fr-CA', colorScheme: 'dark' },
    ],
  ] as const)(
    'are accessible: %s',
    async (_, name, options) => {
      for (const [page, path] of Object.entries(paths)) {
        const wrong: string[] = [];
        const opened = await open(path, options, wrong);
        await expectAccessible(opened);
        expect([page, wrong]).toEqual([page, []]);
        await takePicture(opened, `explorer-${page}-${name}`);
        await opened.context().close();
      }
    },
    400_000,
  );

  it('lead from the overview by its links to a record and its views, without script', async () => {
    const page = await open(paths['overview'] ?? '', { javaScriptEnabled: false });
    expect(await page.locator('svg.timeline').count()).toBe(1);
    expect(await page.locator('svg.plot').count()).toBeGreaterThan(3);
    expect(await page.locator('svg .band').count()).toBeGreaterThan(0);
    await page.locator('.lists td a').first().click();
    const title = await page.locator('h1').textContent();
    for (const [tab, shows] of [
      ['JSON', '.json'],
      ['Validation', '[role=status]'],
      ['Versions', 'table'],
    ] as const) {
      await page.getByRole('navigation').getByRole('link', { name: tab, exact: true }).click();
      expect(await page.locator(shows).first().isVisible()).toBe(true);
    }
    await page.getByRole('link', { name: 'Record', exact: true }).click();
    expect(await page.locator('h1').textContent()).toBe(title);
    await page.context().close();
  });

  it('show pictures, and no style of a narrative', async () => {
    const page = await open(paths['rich'] ?? '');
    // It is loaded when it is about to be seen.
    await expect.poll(() => page.evaluate('document.querySelector(".picture").naturalWidth')).toBe(1);
    expect(await page.locator('.narrative [style]').count()).toBe(0);
    await page.context().close();
  });

  it('mark values by colour and form in both themes, with colours of the style sheet', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(paths['overview'] ?? '', { colorScheme });
      const fill = 'getComputedStyle(document.querySelector(".plot path.out")).fill';
      expect(await page.evaluate(fill)).toBe(colorScheme === 'light' ? 'rgb(161, 36, 28)' : 'rgb(255, 157, 147)');
      await page.context().close();
    }
  });
});
