import { describe, expect, it } from 'vitest';
import {
  declared,
  loadOnly,
  loadWith,
  ours,
  profile,
  searchParameter,
  statement,
} from '../../support/definition-files.ts';

// CapabilityStatements that are wrong, or that contradict each other, stop a start.

const group = (fields: object = {}) => declared('Group', fields);
const official = 'http://hl7.org/fhir/SearchParameter/';
const at = 'rest[0].resource[0]';

describe('a CapabilityStatement is refused', () => {
  it.each<[string, object, [path: string, text: string]]>([
    [
      'with an operation',
      { operation: [{ name: 'validate', definition: 'http://hl7.org/fhir/OperationDefinition/Resource-validate' }] },
      [
        'rest[0].operation[0].definition',
        '`http://hl7.org/fhir/OperationDefinition/Resource-validate` is not served as an operation of the whole ' +
          'system; remove it.',
      ],
    ],
    [
      'with a compartment that is not loaded',
      { compartment: ['http://hl7.org/fhir/CompartmentDefinition/pateint'] },
      [
        'rest[0].compartment[0]',
        'No CompartmentDefinition `http://hl7.org/fhir/CompartmentDefinition/pateint` is loaded. Did you mean ' +
          '`http://hl7.org/fhir/CompartmentDefinition/patient`?',
      ],
    ],
    [
      'with the compartment of a type that is not declared',
      { compartment: ['http://hl7.org/fhir/CompartmentDefinition/patient'] },
      ['rest[0].compartment[0]', 'The compartment is that of Patient, which is not declared.'],
    ],
    [
      'with security by hand',
      { security: { cors: true } },
      ['rest[0].security', '`security` is not written by hand; it is made from the access configuration.'],
    ],
    [
      'with an interaction of a type on the system',
      { interaction: [{ code: 'read' }] },
      ['rest[0].interaction[0].code', expect.stringMatching(/^`read` is not an interaction of the whole system\./)],
    ],
  ])('%s', async (_what, rest, [path, text]) => {
    const { problems } = await loadOnly(statement([group()], rest));
    expect(problems).toEqual([{ file: 'capability/ours.json', path, text }]);
  });

  it('with a compartment by a parameter that is not loaded', async () => {
    const compartment = {
      resourceType: 'CompartmentDefinition',
      url: 'https://example.org/CompartmentDefinition/device',
      name: 'Devices',
      status: 'active',
      code: 'Device',
      search: true,
      resource: [{ code: 'Group', param: ['member', 'keeper'] }],
    };
    const types = [group(), { type: 'Device', interaction: [{ code: 'read' }] }];
    const { problems } = await loadOnly(statement(types, { compartment: [compartment.url] }), {
      'capability/device.json': compartment,
    });
    expect(problems).toEqual([
      {
        file: 'capability/ours.json',
        path: 'rest[0].resource[0].type',
        text: 'The compartment of Device needs the parameter `keeper`, which is not loaded.',
      },
    ]);
  });

  it('but not with a compartment of a type for which R4 defines none', async () => {
    const compartment = {
      resourceType: 'CompartmentDefinition',
      url: 'https://example.org/CompartmentDefinition/group',
      name: 'Groups',
      status: 'active',
      search: true,
      resource: [{ code: 'Group' }],
    };
    const load = (code: string) =>
      loadOnly(statement([group()], { compartment: [compartment.url] }), {
        'capability/group.json': { ...compartment, code },
      });
    expect((await load('Group')).problems).toEqual([]);
    expect((await load('Grup')).problems).toContainEqual({
      file: 'beside/capability/group.json',
      path: 'code',
      text: expect.stringContaining('`Grup` is not a code of `CompartmentDefinition.code`.'),
    });
  });

  it('for another release', async () => {
    const { problems } = await loadOnly({ ...statement([group()]), fhirVersion: '5.0.0' });
    expect(problems).toEqual([
      {
        file: 'capability/ours.json',
        path: 'fhirVersion',
        text: 'The CapabilityStatement is for FHIR 5.0.0; this server is FHIR R4 (4.0.1).',
      },
    ]);
  });

  it('but not for 4.0', async () => {
    expect((await loadOnly({ ...statement([group()]), fhirVersion: '4.0' })).problems).toEqual([]);
  });

  it('where a resource has no type', async () => {
    const { problems } = await loadOnly(statement([group(), { interaction: [{ code: 'read' }] }]));
    expect(problems).toEqual([
      {
        file: 'capability/ours.json',
        path: 'rest[0].resource[1].type',
        text: '`CapabilityStatement.rest.resource` must have `type`.',
      },
    ]);
  });

  it('but one of a client alone is a notice', async () => {
    const client = statement([group()]);
    const { problems, notices } = await loadWith({
      'capability/client.json': { ...client, rest: client.rest.map(rest => ({ ...rest, mode: 'client' })) },
    });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      'capability/client.json has no `rest` with the mode `server` and therefore declares nothing.',
    ]);
  });

  it('where none declares a type', async () => {
    const { problems, notices } = await loadOnly({ ...statement([group()]), kind: 'requirements' });
    expect(problems).toEqual([
      {
        file: 'capability',
        path: '',
        text: 'No CapabilityStatement here declares a resource type, so there is nothing to serve.',
      },
    ]);
    expect(notices).toEqual(['capability/ours.json is of kind requirements and therefore declares nothing.']);
  });

  it('with everything that is wrong at once, unreadable files first, else in the order of the files', async () => {
    const { problems } = await loadOnly(
      statement([{ type: 'Grup' }, group({ supportedProfile: ['https://example.org/none'] })]),
      {
        'searchparameters/a.json': '{"resourceType": "SearchParameter",}',
        'profiles/b.json': profile('p', 'Group', { kinds: 'resource' }),
      },
    );
    expect(problems.map(({ file, path }) => [file, path])).toEqual([
      ['beside/searchparameters/a.json', ''],
      ['beside/profiles/b.json', 'kinds'],
      ['capability/ours.json', 'rest[0].resource[0].type'],
      ['capability/ours.json', 'rest[0].resource[1].supportedProfile[0]'],
    ]);
  });
});

describe('statements that contradict each other', () => {
  const second = (resource: object) => ({ 'capability/second.json': statement([resource]) });
  it.each<[string, object, object, string, string]>([
    [
      'in a single element',
      group({ versioning: 'versioned' }),
      group({ versioning: 'no-version' }),
      `${at}.versioning`,
      '`versioning` is `"no-version"` here and `"versioned"` in capability/ours.json; they must agree.',
    ],
    [
      'in a parameter',
      group({ searchParam: [{ name: 'code', definition: `${official}Group-code`, type: 'token' }] }),
      group({ searchParam: [{ name: 'code', definition: 'https://example.org/SearchParameter/code', type: 'token' }] }),
      `${at}.searchParam[0].definition`,
      'Group offers `code` as https://example.org/SearchParameter/code here and as ' +
        `${official}Group-code|4.0.1 in capability/ours.json; they must agree.`,
    ],
    [
      'in an extension',
      group({ extension: [ours('validation-policy', { valueCode: 'warn' })] }),
      group({ extension: [ours('validation-policy', { valueCode: 'off' })] }),
      `${at}.extension[0]`,
      expect.stringMatching(/^`validation-policy` is .* here and .* in capability\/ours\.json; they must agree\.$/),
    ],
  ])('%s are refused with both files', async (_what, one, other, path, text) => {
    const code = searchParameter('code', { base: ['Group'], type: 'token', expression: 'Group.code' });
    const { problems } = await loadOnly(statement([one]), { ...second(other), 'searchparameters/code.json': code });
    expect(problems).toEqual([{ file: 'beside/capability/second.json', path, text }]);
  });

  it('are merged where they agree', async () => {
    const { model, problems } = await loadOnly(
      statement([group({ versioning: 'versioned' })]),
      second(group({ interaction: [{ code: 'create' }], searchParam: [{ name: 'code', type: 'token' }] })),
    );
    expect(problems).toEqual([]);
    expect([...(model?.types.get('Group')?.interactions ?? [])]).toEqual(['read', 'search-type', 'create']);
    expect([...(model?.types.get('Group')?.parameters.keys() ?? [])]).toEqual(['code']);
  });
});
