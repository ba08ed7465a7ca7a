// https://hl7.org/fhir/R4/profiling.html#snapshot and https://hl7.org/fhir/R4/valueset.html#compositions
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { definitionOf } from '../../src/definitions/definition.ts';
import { indexDefinitions } from '../../src/definitions/definitions.ts';
import { packFile, readPack } from '../../src/definitions/pack.ts';
import { requireModel } from '../../src/load-model.ts';
import type { Model } from '../../src/model/model.ts';
import { valueSetCodes } from '../../src/model/value-set-codes.ts';
import type { ValueSetCodes } from '../../src/model/value-set-codes.ts';
import { loadOnly, ours, profile, statement } from '../support/definition-files.ts';

const valueSet = (name: string, fields: object) => ({
  resourceType: 'ValueSet',
  url: `https://example.org/ValueSet/${name}`,
  name: 'Test',
  status: 'active',
  ...fields,
});
const of = (name: string): string => `https://example.org/ValueSet/${name}`;

const system = 'https://example.org/tree';
const own = [
  {
    resourceType: 'CodeSystem',
    url: system,
    content: 'complete',
    concept: [{ code: 'a', concept: [{ code: 'b' }] }, { code: 'c' }],
  },
  valueSet('all', { compose: { include: [{ system }] } }),
  valueSet('some', {
    compose: {
      include: [{ valueSet: [of('all')] }, { system: 'urn:other', concept: [{ code: 'x' }] }],
      exclude: [{ system, concept: [{ code: 'b' }] }],
    },
  }),
  valueSet('both', { compose: { include: [{ valueSet: [of('all'), of('some')] }] } }),
  valueSet('filtered', {
    compose: { include: [{ system, filter: [{ property: 'concept', op: 'is-a', value: 'a' }] }] },
  }),
  valueSet('expanded', {
    compose: { include: [{ system: 'urn:other' }] },
    expansion: {
      contains: [
        { system: 'urn:other', code: 'group', abstract: true, contains: [{ system: 'urn:other', code: 'y' }] },
      ],
    },
  }),
  valueSet('itself', { compose: { include: [{ valueSet: [of('itself')] }] } }),
].map((resource, at) => definitionOf(resource, { file: `${at}.json`, path: '', package: undefined }));
const pack = readPack(join(import.meta.dirname, '../../profiles', packFile), packFile).definitions;
const { definitions } = indexDefinitions([...pack, ...own]);
const codesOf = (canonical: string): ValueSetCodes | undefined => valueSetCodes(canonical, definitions);

describe('codes of a value set', () => {
  it.each([
    ['http://hl7.org/fhir/ValueSet/administrative-gender|4.0.1', ['male', 'female', 'other', 'unknown']],
    ['http://hl7.org/fhir/ValueSet/units-of-time', ['s', 'min', 'h', 'd', 'wk', 'mo', 'a']],
    [of('all'), ['a', 'b', 'c']],
    [of('some'), ['a', 'c', 'x']],
    [of('both'), ['a', 'c']],
    [of('expanded'), ['y']],
  ])('%s has %j', (canonical, codes) => {
    expect([...(codesOf(canonical)?.codes ?? [])]).toEqual(codes);
  });

  it.each([
    ['http://hl7.org/fhir/ValueSet/mimetypes|4.0.1', 'its system has no list of codes'],
    [of('filtered'), 'a filter would have to be run'],
    [of('itself'), 'it includes itself'],
    [of('none'), 'nobody has it'],
  ])('%s is not known: %s', canonical => {
    expect(codesOf(canonical)).toBeUndefined();
  });

  it('belong to their systems', () => {
    const some = codesOf(of('some'));
    expect([some?.has('x'), some?.has('x', 'urn:other'), some?.has('x', 'https://example.org/tree')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('profile', () => {
  let model: Model;
  beforeAll(async () => {
    ({ model } = await requireModel({ definitions: [] }));
  });
  const media = 'https://clinical-records.example/fhir/StructureDefinition/media-capture';

  it('is a tree of what its snapshot says', () => {
    const root = model.profile(media);
    const subject = root?.children.find(({ name }) => name === 'subject');
    expect([root?.name, subject?.min, subject?.max]).toEqual(['Media', 1, 1]);
    expect(subject?.types).toEqual([{ code: 'Reference', targets: ['Patient'], aggregation: ['referenced'] }]);
    const created = root?.children.find(({ name }) => name === 'created');
    expect([created?.choice, created?.types.map(({ code }) => code)]).toEqual([true, ['dateTime', 'Period']]);
    const content = root?.children.find(({ name }) => name === 'content');
    const cardinality = (wanted: string): unknown => {
      const element = content?.children.find(({ name }) => name === wanted);
      return [element?.min, element?.max];
    };
    expect([cardinality('data'), cardinality('contentType'), cardinality('url')]).toEqual([
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
    expect(root?.children.find(({ name }) => name === 'contained')?.max).toBe(Infinity);
    expect(model.profile('https://example.org/none')).toBeUndefined();
  });

  const basic = (element: readonly object[], fields: object = {}) =>
    loadOnly(
      statement([
        {
          type: 'Basic',
          profile: 'https://example.org/StructureDefinition/basic',
          interaction: [{ code: 'create' }],
          extension: [ours('smart-scope', { valueString: 'system/Basic.c' })],
        },
      ]),
      { 'profiles/basic.json': profile('basic', 'Basic', { differential: { element }, ...fields }) },
    );

  it('without snapshot says what its differential says of the elements of its base', async () => {
    const { model, problems } = await basic([
      { id: 'Basic', path: 'Basic' },
      { id: 'Basic.author', path: 'Basic.author', min: 1 },
    ]);
    expect(problems).toEqual([]);
    const root = model?.profile('https://example.org/StructureDefinition/basic');
    const cardinality = (wanted: string): unknown => root?.children.find(({ name }) => name === wanted)?.min;
    expect([cardinality('author'), cardinality('code'), cardinality('created')]).toEqual([1, 1, 0]);
  });

  it.each<[string, object[], object, string]>([
    [
      'an element that its base does not have',
      [{ id: 'Basic.autor', path: 'Basic.autor', min: 1 }],
      {},
      'at `Basic.autor`: The base has no such element, so this was left out.',
    ],
    [
      'more than its base allows',
      [{ id: 'Basic.code', path: 'Basic.code', min: 0 }],
      {},
      "at `Basic.code`: `min` 0 would loosen the base's 1, which stands.",
    ],
    [
      'a base that is not here',
      [{ id: 'Basic', path: 'Basic' }],
      { baseDefinition: 'https://example.org/none' },
      'at `Basic`: The base `https://example.org/none` is not here.',
    ],
    [
      'itself as its base',
      [{ id: 'Basic', path: 'Basic' }],
      { baseDefinition: 'https://example.org/StructureDefinition/basic' },
      'at `Basic`: `https://example.org/StructureDefinition/basic` is made of itself, by its bases or by what its types name.',
    ],
  ])('that a type must meet stops the start where its differential names %s', async (_what, element, fields, text) => {
    const { problems } = await basic(element, fields);
    expect(problems).toEqual([
      {
        file: 'capability/ours.json',
        path: 'rest[0].resource[0].profile',
        text: `The differential of \`https://example.org/StructureDefinition/basic\` cannot be followed ${text}`,
      },
    ]);
  });
});
