// https://hl7.org/fhir/R4/search.html
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/fhir/json.ts';
import type { IndexEntry } from '../../src/indexing/entry.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { withOnly } from '../../src/indexing/only.ts';
import { NotIndexedCounts, failureOf } from '../../src/indexing/not-indexed.ts';
import { loadModel } from '../support/loaded-once.ts';
import type { ResourceType } from '../../src/model/model.ts';
import { examples } from '../fhirpath/judge.ts';

const allR4 = fileURLToPath(new URL('../fixtures/all-r4/capability', import.meta.url));
const { model } = await loadModel({ definitions: [], capability: allR4 });
if (model === undefined) throw new Error('the fixture for all of R4 does not compile');

const extract = createExtract(model);
const partition = { id: 'demo', zone: 'America/Toronto' };

function typeOf(name: string): ResourceType {
  const type = model?.types.get(name);
  if (type === undefined) throw new Error(`${name} is not declared`);
  return type;
}

const entriesOf = (resource: { resourceType: string; [element: string]: unknown }): readonly IndexEntry[] =>
  extract(typeOf(resource.resourceType), JSON.stringify(resource), partition);

const valuesOf = (param: string, resource: Parameters<typeof entriesOf>[0]): readonly IndexEntry['value'][] =>
  entriesOf(resource).flatMap(entry => (entry.param === param ? [entry.value] : []));

const token = (code: string, system?: string, caseSensitive = false) => ({
  kind: 'token',
  system,
  code,
  caseSensitive,
});

describe('the entries of a resource', () => {
  it('are those of each parameter of its type', () => {
    const encounter = {
      resourceType: 'Encounter',
      id: 'e1',
      status: 'finished',
      class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
      subject: { reference: 'Patient/1' },
      period: { start: '2024-05-01', end: '2024-05-01T10:00:00Z' },
    };
    expect(entriesOf(encounter)).toEqual([
      {
        param: '_content',
        value: {
          kind: 'words',
          text:
            ' finished . http terminologyhl7org codesystem v3 actcode . amb . patient 1 . 2024 05 01 . ' +
            '2024 05 01t10 00 00z ',
        },
      },
      { param: 'class', value: token('AMB', 'http://terminology.hl7.org/CodeSystem/v3-ActCode', true) },
      { param: 'date', value: { kind: 'date', low: Date.UTC(2024, 4, 1, 4), high: Date.UTC(2024, 4, 1, 10, 0, 1) } },
      { param: 'patient', value: { kind: 'reference', type: 'Patient', id: '1', url: undefined, version: undefined } },
      { param: 'status', value: token('finished', 'http://hl7.org/fhir/encounter-status', true) },
      { param: 'subject', value: { kind: 'reference', type: 'Patient', id: '1', url: undefined, version: undefined } },
    ]);
  });

  it('have no id and no last update: the store knows both', () => {
    const patient = {
      resourceType: 'Patient',
      id: '1',
      meta: { lastUpdated: '2024-05-01T00:00:00Z', profile: ['urn:p'] },
    };
    expect(
      entriesOf(patient)
        .map(({ param }) => param)
        .sort(),
    ).toEqual(['_profile', 'deceased']);
  });

  it('hold each value once for a parameter', () => {
    const telecom = [
      { system: 'phone', value: '416 555 1234' },
      { system: 'phone', value: '+1-416-555-1234' },
      { system: 'phone', value: '416 555 9999' },
    ];
    expect(valuesOf('phone', { resourceType: 'Patient', telecom })).toEqual([token('4165551234'), token('4165559999')]);
    const name = [{ family: 'Lee', given: ['Lee'] }];
    expect(valuesOf('name', { resourceType: 'Patient', name })).toHaveLength(1);
  });

  it('have dates in the zone of the partition', () => {
    const text = JSON.stringify({ resourceType: 'Condition', recordedDate: '2024-05-01' });
    const lows = ['UTC', 'America/Toronto'].map(zone =>
      extract(typeOf('Condition'), text, { id: 'demo', zone }).flatMap(({ value }) =>
        value.kind === 'date' ? [value.low] : [],
      ),
    );
    expect(lows).toEqual([[Date.UTC(2024, 4, 1)], [Date.UTC(2024, 4, 1, 4)]]);
  });

  it('are the same from the text and from what was parsed of it', () => {
    const text = JSON.stringify({ resourceType: 'Patient', birthDate: '2000-01-01', name: [{ family: 'Lee' }] });
    expect(extract(typeOf('Patient'), text, partition, parseJson(text))).toEqual(
      extract(typeOf('Patient'), text, partition),
    );
  });
});

describe('composite entries', () => {
  const code = {
    coding: [
      { system: 'urn:s', code: 'a' },
      { system: 'urn:s', code: 'b' },
    ],
  };
  const quantity = (value: number) => ({
    kind: 'quantity',
    low: value,
    high: value,
    system: undefined,
    code: undefined,
    unit: 'mmHg',
  });

  it('are tuples with all values of each component', () => {
    const observation = { resourceType: 'Observation', code, valueQuantity: { value: 7, unit: 'mmHg' } };
    expect(valuesOf('code-value-quantity', observation)).toEqual([
      { kind: 'composite', of: [[token('a', 'urn:s'), token('b', 'urn:s')], [quantity(7)]] },
    ]);
  });

  it('keep what belongs to one element together', () => {
    const component = [
      { code: { coding: [{ code: 'systolic' }] }, valueQuantity: { value: 120, unit: 'mmHg' } },
      { code: { coding: [{ code: 'diastolic' }] }, valueQuantity: { value: 80, unit: 'mmHg' } },
      { code: { coding: [{ code: 'pulse' }] }, valueString: 'none' },
    ];
    expect(valuesOf('component-code-value-quantity', { resourceType: 'Observation', component })).toEqual([
      { kind: 'composite', of: [[token('systolic')], [quantity(120)]] },
      { kind: 'composite', of: [[token('diastolic')], [quantity(80)]] },
    ]);
    const both = { resourceType: 'Observation', code, valueQuantity: { value: 7, unit: 'mmHg' }, component };
    expect(valuesOf('combo-code-value-quantity', both)).toHaveLength(3);
  });

  it('find dateTimes where R4 writes DateTime', () => {
    const observation = { resourceType: 'Observation', code, valueDateTime: '2024-05-01T00:00:00Z' };
    expect(valuesOf('code-value-date', observation)).toHaveLength(1);
  });

  it('read the whole resource where a component says %resource', () => {
    const sequence = {
      resourceType: 'MolecularSequence',
      referenceSeq: { chromosome: { coding: [{ code: '1' }] }, windowStart: 1 },
      variant: [{ start: 5, end: 6 }],
    };
    expect(valuesOf('chromosome-variant-coordinate', sequence)).toEqual([
      {
        kind: 'composite',
        of: [[token('1')], [{ kind: 'number', low: 5, high: 5 }], [{ kind: 'number', low: 6, high: 6 }]],
      },
    ]);
  });

  it('are not made where a component has no value', () => {
    expect(valuesOf('code-value-quantity', { resourceType: 'Observation', code })).toEqual([]);
  });
});

describe('a parameter that only fhirpath.js can evaluate', () => {
  it('has entries, and none where its expression fails on the data, which is reported without the data', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'definitions-'));
    try {
      const loaded = await loadModel({ definitions: [await writeParameter(folder, 'Patient.name.given.single()')] });
      const patient = loaded.model?.types.get('Patient');
      if (loaded.model === undefined || patient === undefined) throw new Error(JSON.stringify(loaded.problems));
      const counts = new NotIndexedCounts();
      const read = createExtract(loaded.model, counts.add);
      const only = (given: readonly string[]): readonly IndexEntry[] =>
        read(
          patient,
          JSON.stringify({ resourceType: 'Patient', id: given.join('-'), name: [{ given }] }),
          partition,
        ).filter(({ param }) => param === 'only-name');
      expect(only(['Ann'])).toEqual([{ param: 'only-name', value: { kind: 'string', text: 'Ann', folded: 'ann' } }]);
      expect(counts.all).toEqual([]);
      expect(only(['Ann', 'Marie'])).toEqual([]);
      expect(only(['Ann', 'Marie'])).toEqual([]);
      expect(only(['Bo', 'Lee'])).toEqual([]);
      const first = { type: 'Patient', id: 'Ann-Marie', param: 'only-name', why: 'Expected single' };
      expect(counts.all).toEqual([{ first, records: 2 }]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** A definitions folder that offers one more parameter of type string on Patient. */
async function writeParameter(folder: string, expression: string): Promise<string> {
  const url = 'http://example.org/SearchParameter/only-name';
  const parameter = {
    resourceType: 'SearchParameter',
    url,
    name: 'only-name',
    status: 'active',
    description: 'The only given name',
    code: 'only-name',
    base: ['Patient'],
    type: 'string',
    expression,
  };
  const statement = {
    resourceType: 'CapabilityStatement',
    url: 'http://example.org/CapabilityStatement/only-name',
    status: 'active',
    date: '2024-05-01',
    kind: 'capability',
    fhirVersion: '4.0.1',
    format: ['json'],
    rest: [
      {
        mode: 'server',
        resource: [{ type: 'Patient', searchParam: [{ name: 'only-name', type: 'string', definition: url }] }],
      },
    ],
  };
  for (const [name, resource] of Object.entries({ searchparameters: parameter, capability: statement })) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'only-name.json'), JSON.stringify(resource));
  }
  return folder;
}

describe('why a record is not indexed', () => {
  it.each([
    ['Unexpected collection["Ann","Lee"]; expected singleton', 'Unexpected collection…; expected singleton'],
    ['Type of "185" (String) did not match type of \'x\'', 'Type of … (String) did not match type of …'],
    ['it takes longer than 2000 ms', 'it takes longer than 2000 ms'],
  ])('quotes nothing of the record: %s', (message, why) => {
    expect(failureOf('Patient', 'x', { id: 'a' }, new Error(message))).toEqual({
      type: 'Patient',
      id: 'a',
      param: 'x',
      why,
    });
  });
});

describe('whatever is stored', () => {
  it('all official examples have entries that can be searched', () => {
    const counts = new Map<string, number>();
    for (const { file, resource } of examples()) {
      const type = model.types.get(resource.resourceType);
      if (type === undefined) continue;
      const entries = extract(type, JSON.stringify(resource), partition);
      for (const { param, value } of entries) {
        expect(type.indexed.has(param)).toBe(true);
        counts.set(value.kind, (counts.get(value.kind) ?? 0) + 1);
        if ('low' in value && !(value.low <= value.high)) throw new Error(`${file} ${param}: ${JSON.stringify(value)}`);
      }
      const keys = entries.map(entry => JSON.stringify(entry));
      if (new Set(keys).size !== keys.length) throw new Error(`${file} has an entry twice`);
    }
    expect([...counts.keys()].sort()).toEqual([
      'composite',
      'date',
      'number',
      'quantity',
      'reference',
      'string',
      'token',
      'unsearchable',
      'uri',
      'words',
    ]);
  });

  it('no shape of JSON makes it throw', () => {
    const names = [
      'code',
      'coding',
      'system',
      'value',
      'name',
      'given',
      'subject',
      'reference',
      'component',
      'effectivePeriod',
      'start',
      'valueQuantity',
      'telecom',
      'extension',
      'contained',
      'resource',
      'entry',
    ];
    const { node } = fc.letrec<{ node: unknown }>(tie => ({
      node: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(null, true, 0, -1.5, '', 'x', '2020-01-01', 'Patient/1', '#a', 'phone'),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 5 }),
      ),
    }));
    const types = fc.constantFrom('Patient', 'Observation', 'Bundle', 'Questionnaire', 'Encounter', 'Location');
    fc.assert(
      fc.property(types, fc.dictionary(fc.constantFrom(...names), node), (resourceType, elements) => {
        expect(Array.isArray(entriesOf({ ...elements, resourceType }))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a type with some of its parameters', () => {
  const type = typeOf('Observation');
  const [status, code] = ['status', 'code'].map(name => type.indexed.get(name));
  if (status === undefined || code === undefined) throw new Error('Observation lacks a parameter');

  it('is made once, so that it is compiled once', () => {
    expect(withOnly(type, [status])).toBe(withOnly(type, [status]));
    expect(withOnly(type, [status])).not.toBe(withOnly(type, [code]));
    expect(withOnly({ ...type }, [status])).not.toBe(withOnly(type, [status]));
  });

  it('is another one for another parameter of the same code', () => {
    const other = { ...status, expression: code.expression };
    expect(withOnly(type, [other]).indexed.get('status')).toBe(other);
    expect(withOnly(type, [status]).indexed.get('status')).toBe(status);
  });
});
