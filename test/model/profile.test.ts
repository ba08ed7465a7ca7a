// https://hl7.org/fhir/R4/profiling.html#snapshot
import { describe, expect, it } from 'vitest';
import { loadOnly, ours, profile, statement } from '../support/definition-files.ts';

describe('a profile', () => {
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

  it.each<[string, object[], object, path: string, text: string]>([
    [
      'an element that its base does not have',
      [{ id: 'Basic.autor', path: 'Basic.autor', min: 1 }],
      {},
      'differential.element[0].path',
      '`Basic.autor`: There is no element `autor` in Basic. Did you mean `author`?',
    ],
    [
      'more than its base allows',
      [{ id: 'Basic.code', path: 'Basic.code', min: 0 }],
      {},
      'differential.element[0]',
      "The differential of `https://example.org/StructureDefinition/basic` cannot be applied at `Basic.code`: `min` 0 would relax the base's 1, which is used.",
    ],
    [
      'a base that is not here',
      [{ id: 'Basic', path: 'Basic' }],
      { baseDefinition: 'https://example.org/none' },
      'baseDefinition',
      'The differential of `https://example.org/StructureDefinition/basic` cannot be applied at `Basic`: The base `https://example.org/none` is not loaded.',
    ],
    [
      'itself as its base',
      [{ id: 'Basic', path: 'Basic' }],
      { baseDefinition: 'https://example.org/StructureDefinition/basic' },
      'baseDefinition',
      'The differential of `https://example.org/StructureDefinition/basic` cannot be applied at `Basic`: `https://example.org/StructureDefinition/basic` refers to itself, by its bases or its type profiles.',
    ],
  ])(
    'that a type must meet stops the start where its differential names %s',
    async (_what, element, fields, path, text) => {
      const { problems } = await basic(element, fields);
      expect(problems).toEqual([{ file: 'beside/profiles/basic.json', path, text }]);
    },
  );

  it.each([
    ['stops the start all the same', {}, ['differential.element[0].path `Basic.autor`: There is no element `autor` in Basic. Did you mean `author`?']], // prettier-ignore
    ['with a snapshot of its own is taken as it is', { snapshot: { element: [{ id: 'Basic', path: 'Basic' }] } }, []],
  ])('that no type names %s', async (_title, fields, expected) => {
    const { problems } = await loadOnly(
      statement([
        {
          type: 'Basic',
          interaction: [{ code: 'create' }],
          extension: [ours('smart-scope', { valueString: 'system/Basic.c' })],
        },
      ]),
      {
        'profiles/apart.json': profile('apart', 'Basic', {
          differential: { element: [{ id: 'Basic.autor', path: 'Basic.autor', min: 1 }] },
          ...fields,
        }),
      },
    );
    expect(problems.map(({ path, text }) => `${path} ${text}`)).toEqual(expected);
  });
});
