// A page is made in at most 30 ms and weighs at most 100 kB.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../src/demo/generate.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const mostBytes = 100_000;
/** Milliseconds of processor time, of server and client together, which other load does not change. */
const mostTime = 30;

const pages = [
  '//',
  '',
  '/Patient',
  '/Observation?_count=50',
  '/Observation?_count=200',
  '/Observation?_count=50&_view=json',
  '/Patient/{patient}',
  '/Patient/{patient}?_view=json',
  '/Patient/{patient}?_view=check',
  '//explorer/demo/sign-in',
  '//explorer/demo/types/Patient',
  '//explorer/demo/types/Observation',
  '//explorer/demo/overview/Patient/{patient}',
  '//explorer/demo/indexes',
  '//explorer/demo/indexes?type=Observation',
  '//explorer/demo/profiles',
  '//explorer/demo/profile?url=Observation',
  '//explorer/demo/explain?query=Observation%3Fcode%3D8302-2',
];

describe.each([
  ['the shipped interface', []],
  ['all of R4', ['--interface', 'r4']],
])('a page of %s', (_, flags) => {
  let server: Served;
  let patient: string;
  beforeAll(async () => {
    const records = [...generate({ patients: 10, seed: 905, date: '2026-11-20' })];
    patient = records.find(({ type }) => type === 'Patient')?.id ?? '';
    server = await serve(
      records.map(({ text }) => text),
      flags,
    );
  }, 120_000);
  afterAll(() => server.close());

  it.each(pages)('%s is light and made quickly', async pattern => {
    const path = pattern.replace('{patient}', patient);
    const request = () => server.get(path, { Accept: 'text/html' });
    const { status, bytes } = await request();
    expect([status, bytes.length <= mostBytes]).toEqual([200, true]);
    for (let count = 0; count < 5; count += 1) await request(); // compiled by then
    const times: number[] = [];
    for (let count = 0; count < 9; count += 1) times.push(await cpuTime(request));
    const median = times.toSorted((a, b) => a - b)[4] ?? 0;
    if (process.env['CRS_SHOW_FIGURES'] !== undefined)
      process.stderr.write(`${path} ${bytes.length} ${median.toFixed(1)}\n`);
    expect(median).toBeLessThan(mostTime);
  });
});
