// `explain URL`: how a search is understood and answered, on the store of the settings.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
const folder = mkdtempSync(join(tmpdir(), 'explain-'));
const capability = join(import.meta.dirname, '../fixtures/all-r4/capability');
const settings = ['--store', `sqlite:${join(folder, 'records.sqlite')}`, '--capability', capability];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const records = [
  { resourceType: 'Patient', id: 'p1', gender: 'male', name: [{ family: 'Roy' }] },
  { resourceType: 'Observation', id: 'o1', status: 'final', code: { text: 'x' }, subject: { reference: 'Patient/p1' } },
];

describe('explain', () => {
  beforeAll(async () => {
    await run(['partition', 'add', 'clinic', ...settings]);
    const input = records.map(record => JSON.stringify(record)).join('\n');
    await run(['load', '-', ...settings], { input });
  }, 60_000);

  it('prints the query, each step with its indexes, the statements and the rows', async () => {
    const { code, stdout } = await run(['explain', 'Observation?patient.name=roy&_sort=-date', ...settings]);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'Search of Observation: (chain patient Patient (param name (starts "roy")))',
      '  decided on candidates: (chain patient Patient (param name (starts "roy")))',
      '  order: -date, an index has it; 50 matches on a page',
    ]);
    expect(lines).toContain('1. search of Patient: 1 row examined, 1 returned');
    expect(stdout).toMatch(/clause +\(starts name\) +strings name +(?:range|check)\n/);
    expect(stdout).toMatch(/order +-date +sorts date +range\n/);
    expect(stdout).toMatch(/\n +SELECT c\.id.*\n +1 row examined, 1 returned\n +SEARCH c USING/);
    expect(lines.at(-2)).toMatch(/^\d rows examined, 2 returned\.$/);
    expect(stdout).not.toContain('Roy');
  });

  it('prints the same as JSON', async () => {
    const { code, stdout } = await run(['explain', 'Patient/p1/*?_type=Observation', '--json', ...settings]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      searches: [{ type: 'Observation', sort: '(default)', count: 50, restricted: false }],
      includes: [],
      steps: [{ operation: 'search', type: 'Observation', returned: 1, statements: expect.any(Array) }],
    });
  });

  it.each([
    ['Observation/o1', 'is no search'],
    ['https://elsewhere.example/Observation?code=a', 'is no search'],
    ['Observation?cod=a', '`cod`'],
    ['Nothing?code=a', '`Nothing` is not a resource type'],
    ['Observation?_page_token=x', 'A `_page_token` belongs to its caller'],
  ])('fails with a sentence for %s', async (url, text) => {
    const { code, stderr } = await run(['explain', url, ...settings]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
  });

  it('needs one URL', async () => {
    expect(await run(['explain', ...settings])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('URL is missing'),
    });
  });
});
