// Views as files: where they are read, what is reported, and the ready ones (src/views/README.md#files).
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../src/demo/generate.ts';
import { viewsBeside } from '../../src/definitions/source.ts';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import { stateOf } from '../../src/engine/definitions/watch-definitions.ts';
import { Questions } from '../../src/fhirpath/delegate/job.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { readRecord, rowsOf } from '../../src/views/rows.ts';
import { viewsOf } from '../../src/views/views.ts';
import type { Views } from '../../src/views/views.ts';
import { declared, fhirPackage, folderWith, loadOnly, loadWith, statement } from '../support/definition-files.ts';

const types = readTypeDefinitions();
const canonical = 'https://example.org/ViewDefinition/people';
const column = (name: string, path: string) => ({ column: [{ name, path }] });
const view = (fields: object = {}) => ({
  resourceType: 'ViewDefinition',
  name: 'people',
  resource: 'Patient',
  select: [column('id', 'id')],
  ...fields,
});

describe('the folder views of --definitions', () => {
  it('has views that are found by name, canonical and id', async () => {
    const { problems, definitions } = await loadWith({
      'views/people.json': view({ id: 'people', url: canonical, version: '1' }),
      'views/newer.json': view({ id: 'people', url: canonical, version: '2', select: [column('key', 'id')] }),
      'views/unnamed.json': view({ name: 'visits', resource: 'Encounter' }),
      'views/first.json': view({
        resourceType: 'https://sql-on-fhir.org/ig/StructureDefinition/ViewDefinition',
        name: 'first',
      }),
      'views/guide.tgz': fhirPackage(
        { name: 'org.example', version: '1.0.0', fhirVersions: ['4.0.1'] },
        { 'packed.json': view({ name: 'packed', url: 'https://example.org/ViewDefinition/packed' }) },
      ),
    });
    const views = viewsOf(definitions, types);
    const columnsOf = (found: ReturnType<Views['byName']>) => found?.columns.map(({ name }) => name);
    expect(problems).toEqual([]);
    expect(views.all.map(({ name }) => name)).toEqual(['first', 'packed', 'people', 'people', 'visits']);
    expect(columnsOf(views.byName('PEOPLE'))).toEqual(['key']);
    expect(columnsOf(views.byId('people'))).toEqual(['key']);
    expect(columnsOf(views.byCanonical(canonical))).toEqual(['key']);
    expect(columnsOf(views.byCanonical(`${canonical}|1`))).toEqual(['id']);
    expect(views.byCanonical(`${canonical}|3`)).toBeUndefined();
    expect(views.byName('Encounter')).toBeUndefined();
  });

  it('stops a start by each mistake, with file and path, and by two views of one name', async () => {
    const { model, problems } = await loadWith({
      'views/bad.json': view({ resource: 'Patent', name: 'bad' }),
      'views/nameless.json': view({ name: undefined, url: canonical }),
      'views/people.json': view({ select: [{ column: [{ name: 'id', path: 'id' }], select: [column('id', 'nme(')] }] }),
      'views/same.json': view({ name: 'People', url: 'https://example.org/other', select: [column('id', 'id')] }),
    });
    expect(model).toBeUndefined();
    expect(problems.map(({ file, path }) => `${file} ${path}`).sort()).toEqual([
      'views/bad.json resource',
      'views/nameless.json name',
      'views/people.json select[0].select[0].column[0].name',
      'views/people.json select[0].select[0].column[0].path',
      'views/same.json name',
    ]);
    expect(problems.find(({ file }) => file === 'views/same.json')?.text).toBe(
      'The view `People` is also defined by views/people.json; give one another name.',
    );
  });

  it('is beside the folder of --capability, too', async () => {
    const files = {
      'capability/one.json': statement([declared('Patient')]),
      'views/people.json': view({ select: [] }),
    };
    const folder = folderWith(files);
    const { problems } = await loadModel({ definitions: [], capability: join(folder, 'capability') });
    expect(problems.map(({ file, path }) => [file, path])).toEqual([[join(folder, 'views/people.json'), 'select']]);
    expect(viewsBeside(join(folder, 'capability'))).toBe(join(folder, 'views'));
    const none = await loadOnly(statement([declared('Patient')]));
    expect(none.problems).toEqual([]);
  });

  it('is watched', async () => {
    const folder = folderWith({ 'capability/one.json': {}, 'views/people.json': view() });
    const state = () => stateOf({ definitions: [], capability: join(folder, 'capability') });
    const before = await state();
    writeFileSync(join(folder, 'views/people.json'), '{}');
    const changed = await state();
    rmSync(join(folder, 'views/people.json'));
    expect(new Set([before, changed, await state()]).size).toBe(3);
  });
});

describe('the ready views', () => {
  let views: Views;
  let reported: readonly unknown[];
  const rows = new Map<string, number>();
  beforeAll(async () => {
    const folder = join(import.meta.dirname, '../../src/demo/definitions');
    const { problems, warnings, definitions } = await loadModel({ definitions: [folder] });
    reported = [...problems, ...warnings];
    views = viewsOf(definitions, types);
    for (const { type, text } of generate({ patients: 12, seed: 1 })) {
      const record = readRecord(text);
      for (const one of views.all.filter(({ resourceType }) => resourceType === type)) {
        const found = rowsOf(one, record, new Questions());
        rows.set(one.name!, (rows.get(one.name!) ?? 0) + (found?.length ?? Number.NaN));
      }
    }
  });

  it('are ten without a mistake, and none needs fhirpath.js', () => {
    expect(reported).toEqual([]);
    expect(views.all).toHaveLength(10);
    expect([...rows].filter(([, count]) => Number.isNaN(count))).toEqual([]);
  });

  it.each([
    'active_conditions',
    'active_medication',
    'appointments',
    'blood_pressure',
    'encounters_by_day',
    'family_history',
    'laboratory_results',
    'patient_identifiers',
    'patients',
    'vital_signs',
  ])('%s has rows of the synthetic records', name => {
    expect(views.byName(name)?.columns.length).toBeGreaterThan(3);
    expect(rows.get(name) ?? 0).toBeGreaterThan(0);
  });
});
