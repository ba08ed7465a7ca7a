import { describe, expect, it } from 'vitest';
import { loadWith, ours } from '../../support/definition-files.ts';

// An ImplementationGuide says which profiles apply, `selected-by` says to which resources.

describe('an ImplementationGuide', () => {
  const bodyWeight = 'http://hl7.org/fhir/StructureDefinition/bodyweight';
  const selected = (value: object) => ({ modifierExtension: [ours('selected-by', value)] });
  const file = 'profiles/guide.json';
  const load = (global: object, fields: object = {}) =>
    loadWith({
      [file]: {
        resourceType: 'ImplementationGuide',
        url: 'https://example.org/fhir/ImplementationGuide/g',
        name: 'G',
        status: 'draft',
        packageId: 'example.g',
        fhirVersion: ['4.0.1'],
        global: [global],
        ...fields,
      },
    });

  it('may be for later releases too, and have the licence and the parameters of its publisher', async () => {
    const { problems, warnings } = await load(
      { type: 'Observation', profile: bodyWeight },
      {
        fhirVersion: ['4.0.1', '4.3.0', '5.0.0'],
        license: 'Elastic-2.0',
        definition: {
          resource: [{ reference: { reference: 'Patient/example' } }],
          parameter: [{ code: 'copyrightyear', value: '2026+' }],
        },
      },
    );
    expect([problems, warnings]).toEqual([[], []]);
  });

  it.each<[title: string, global: object, path: string, text: string]>([
    [
      'with a type that does not exist',
      { type: 'Observatoin', profile: bodyWeight },
      'type',
      '`Observatoin` is not a resource type of FHIR R4. Did you mean `Observation`?',
    ],
    [
      'with a type that is no resource',
      { type: 'Quantity', profile: bodyWeight },
      'type',
      '`Quantity` is not a resource type of FHIR R4.',
    ],
    [
      'with a profile that does not exist',
      { type: 'Observation', profile: `${bodyWeight}s` },
      'profile',
      `The profile \`${bodyWeight}s\` is not loaded.`,
    ],
    [
      'with a selection by an element of another type',
      { type: 'Observation', profile: bodyWeight, ...selected({ valueString: 'Condition.code' }) },
      'modifierExtension',
      '`Condition.code` is not a coded element of Observation.',
    ],
    [
      'with a selection by an element without codes',
      { type: 'Observation', profile: bodyWeight, ...selected({ valueString: 'Observation.subject' }) },
      'modifierExtension',
      '`Observation.subject` is not a coded element of Observation.',
    ],
    [
      'with a selection that is no path',
      { type: 'Observation', profile: bodyWeight, ...selected({ valueString: 'code' }) },
      'modifierExtension[0].valueString',
      'The extension `selected-by` has `code`; expected the path of a coded element such as `Type.code`.',
    ],
    [
      'with a selection that others would not notice',
      {
        type: 'Observation',
        profile: bodyWeight,
        extension: [ours('selected-by', { valueString: 'Observation.code' })],
      },
      'extension[0]',
      'The extension `selected-by` is not allowed on `ImplementationGuide.global`; it belongs on ' +
        '`ImplementationGuide.global.modifierExtension`.',
    ],
  ])('is refused %s', async (_title, global, path, text) => {
    const { problems } = await load(global);
    expect(problems).toContainEqual({ file, path: `global[0].${path}`, text });
  });

  it('but not where all that it names is there', async () => {
    const global = {
      type: 'Observation',
      profile: bodyWeight,
      ...selected({ valueString: 'Observation.component.code' }),
    };
    expect((await load(global)).problems).toEqual([]);
  });
});
