import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, it } from 'vitest';
import { folderWith, searchParameter, statement } from '../support/definition-files.ts';
import { inOneProcess } from './one-process.ts';

// A search parameter whose expression fails on some records, which fhirpath.js finds when it runs.

const run = inOneProcess();

it('load and index status count the records that a search parameter does not find, and say why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'not-indexed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const definition = 'https://example.org/SearchParameter/family-upper';
  const searchParam = [{ name: 'family-upper', type: 'string', definition }];
  const definitions = folderWith({
    'searchparameters/family-upper.json': searchParameter('family-upper', {
      base: ['Patient'],
      type: 'string',
      expression: 'Patient.name.family.upper()',
    }),
    'capability/family-upper.json': {
      ...statement([{ type: 'Patient', searchParam }]),
      url: 'https://example.org/CapabilityStatement/family-upper',
    },
  });
  const settings = ['--store', `sqlite:${join(folder, 'records.sqlite')}`, '--definitions', definitions];
  const patient = (id: string, ...families: readonly string[]): string =>
    JSON.stringify({ resourceType: 'Patient', id, name: families.map(family => ({ family })) });
  const records = [patient('a', 'Ang'), patient('b', 'Bo', 'Secret'), patient('c', 'Ce', 'De')].join('\n');
  const line =
    '2 records are not indexed by Patient?family-upper, whose expression fails on Patient/b and others: ' +
    'Unexpected collection…; expected singleton of type String';

  expect(await run(['partition', 'add', 'clinic', ...settings])).toMatchObject({ code: 0 });
  const loaded = await run(['load', '-', ...settings], { input: records });
  expect([loaded.code, loaded.stdout.trimEnd().split('\n').at(-1)]).toEqual([0, line]);
  const status = await run(['index', 'status', ...settings]);
  expect([status.code, status.stdout.split('\n')[0]]).toEqual([0, line]);
});
