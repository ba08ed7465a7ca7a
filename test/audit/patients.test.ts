import { beforeAll, describe, expect, it } from 'vitest';
import { createAddPatients } from '../../src/audit/patients.ts';
import type { AddPatients } from '../../src/audit/patients.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import type { Extract } from '../../src/indexing/extract.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import { shippedModel } from '../store/support/shipped.ts';
import { examples } from '../fhirpath/judge.ts';
import type { Model } from '../../src/model/model.ts';

const partition = { id: 'demo', settings: { zone: 'UTC' } } as Partition; // no more of it is looked at
let model: Model;
let extract: Extract;
let add: AddPatients;
beforeAll(async () => {
  model = await shippedModel();
  extract = createExtract(model);
  add = createAddPatients(model, extract, 'http://here.example');
});

const found = (text: string): string[] => {
  const { resourceType: type, id = 'x' } = JSON.parse(text) as { resourceType: string; id?: string };
  const ids = new Set<string>();
  add(ids, { type, id, text }, partition);
  return [...ids].sort();
};

describe('the patients of a record', () => {
  it.each<[string, string, string[]]>([
    ['the one that it is about', '{"resourceType":"Condition","subject":{"reference":"Patient/p1"}}', ['p1']],
    [
      'not the asserter',
      '{"resourceType":"Condition","subject":{"reference":"Patient/p1"},"asserter":{"reference":"Patient/p2"}}',
      ['p1'],
    ],
    [
      'all who take part',
      '{"resourceType":"Appointment",' +
        '"participant":[{"actor":{"reference":"Patient/p1"}},{"actor":{"reference":"Patient/p2"}},{"actor":{"reference":"Location/l"}}]}',
      ['p1', 'p2'],
    ],
    [
      'the patient itself, not the linked ones',
      '{"resourceType":"Patient","id":"p1","link":[{"other":{"reference":"Patient/p2"}}]}',
      ['p1'],
    ],
    [
      'by an absolute reference to here',
      '{"resourceType":"Condition","subject":{"reference":"http://here.example/r4/demo/Patient/p1"}}',
      ['p1'],
    ],
    [
      'not by one to elsewhere',
      '{"resourceType":"Condition","subject":{"reference":"http://there.example/r4/demo/Patient/p1"}}',
      [],
    ],
    [
      'by a reference to a version',
      '{"resourceType":"Condition","subject":{"reference":"Patient/p1/_history/2"}}',
      ['p1'],
    ],
    [
      'with escapes',
      '{"resourceType":"Condition","subject":{"reference":"Patient\\/p1"},"code":{"text":"\\u0041"}}',
      ['p1'],
    ],
    [
      'with other elements before',
      '{"resourceType":"Condition","subject":{"type":"Patient","reference":"Patient/p1"}}',
      ['p1'],
    ],
    [
      'not what a resource within is about',
      '{"resourceType":"Condition","contained":[{"resourceType":"Observation",' +
        '"subject":{"reference":"Patient/p2"}}],"subject":{"reference":"Patient/p1"}}',
      ['p1'],
    ],
    [
      'not what a text says',
      '{"resourceType":"Condition","subject":{"reference":"Patient/p1"},' +
        '"note":[{"text":"\\"subject\\":{\\"reference\\":\\"Patient/p2\\""}]}',
      ['p1'],
    ],
    ['none', '{"resourceType":"Condition","subject":{"display":"Somebody"}}', []],
    ['a type that is not declared', '{"resourceType":"Basic","subject":{"reference":"Patient/p1"}}', []],
  ])('%s', (_, text, ids) => {
    expect(found(text)).toEqual(ids);
  });

  it('are those of the index, for all official examples', () => {
    let count = 0;
    for (const { resource } of examples()) {
      const type = model.types.get(resource.resourceType);
      if (type === undefined || type.name === 'Patient') continue;
      const text = JSON.stringify(resource);
      const links = new Set(type.accessLinks.map(({ parameter }) => parameter));
      const ids = extract(type, text, { id: 'demo', zone: 'UTC' }).flatMap(({ param, value }) =>
        links.has(param) && value.kind === 'reference' && value.type === 'Patient' && value.id !== undefined
          ? [value.id]
          : [],
      );
      expect(found(text)).toEqual([...new Set(ids)].sort());
      count += 1;
    }
    expect(count).toBeGreaterThan(50);
  });
});
