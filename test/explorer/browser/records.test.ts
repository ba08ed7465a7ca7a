// https://www.w3.org/TR/WCAG22/: what needs a browser to be seen.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../../src/demo/generate.ts';
import {
  expectAccessible,
  hasChromium,
  openBrowser,
  takePicture,
  unlessChromium,
} from '../../smart/pages/browser/support/chromium.ts';
import { observation } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';

const evil = '<div xmlns="http://www.w3.org/1999/xhtml"><p title="x" style="color:red">Narrative</p></div>';
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.skipIf(!hasChromium)(`pages of records in Chromium${unlessChromium}`, () => {
  let server: Served;
  let browser: Browser;
  let patient: string;
  const paths: Record<string, string> = {};
  beforeAll(async () => {
    const records = [...generate({ patients: 3, seed: 905, date: '2026-11-20' })];
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
      observation('x2', {
        subject: { reference: patient },
        valueQuantity: { value: 190, unit: 'cm' },
        referenceRange: [{ low: { value: 150, unit: 'cm' }, high: { value: 180, unit: 'cm' } }],
      }),
    ];
    [server, browser] = await Promise.all([
      serve([...records.map(({ text }) => text), ...extra], ['--interface', 'r4']),
      openBrowser(),
    ]);
    const root = '//explorer/demo';
    Object.assign(paths, {
      overview: `${root}/overview/${patient}?years=all`,
      sheet: `/${patient}`,
      rich: '/Patient/x1',
      findings: '/Patient/x1?_view=check',
      json: `/${of('Condition')}?_view=json`,
      versions: `/${patient}/_history`,
      profiles: `${root}/profiles`,
      profile: `${root}/profile?url=http://hl7.org/fhir/StructureDefinition/bp`,
      type: `${root}/profile?url=Observation`,
      indexes: `${root}/indexes?type=Observation`,
      explain: `${root}/explain?query=${encodeURIComponent('Observation?code=8302-2&_sort=-date')}`,
    });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const open = async (path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const page = await (await browser.newContext({ locale: 'en-CA', ...options })).newPage();
    const { origin } = new URL(server.base);
    await page.goto(path.startsWith('//') ? `${origin}${path.slice(1)}` : `${server.base}${path}`);
    return page;
  };

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
        const opened = await open(path, options);
        const wrong: string[] = [];
        opened.on('console', message => wrong.push(message.text()));
        opened.on('pageerror', error => wrong.push(error.message));
        await opened.reload();
        await expectAccessible(opened);
        expect([page, wrong]).toEqual([page, []]);
        await takePicture(opened, `explorer-${page}-${name}`);
        await opened.context().close();
      }
    },
    240_000,
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
