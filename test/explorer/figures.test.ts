// A page weighs at most 100 kB. How long one takes is in `npm run bench -- --case pages`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../src/demo/generate.ts';
import { pageInterfaces } from '../bench/page-cases.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const mostBytes = 100_000;

describe.each(pageInterfaces)('a page of %s', (_, flags, cases) => {
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

  it.each(cases)('%s is light', async pattern => {
    const { status, bytes } = await server.get(pattern.replace('{patient}', patient), { Accept: 'text/html' });
    expect([status, bytes.length <= mostBytes]).toEqual([200, true]);
  });
});
