import { describe, expect, it } from 'vitest';
import { declared, loadOnly, ours, statement } from '../../support/definition-files.ts';

// An extension of ours in a CapabilityStatement has the values and the place that its definition says.

const group = (fields: object = {}) => declared('Group', fields);
const official = 'http://hl7.org/fhir/SearchParameter/';
const at = 'rest[0].resource[0]';
const base = 'https://clinical-records.example/fhir/StructureDefinition/';

describe('an extension of ours is refused', () => {
  const sortDate = ours('sort-date', { valueCode: 'date' });
  it.each<[string, object, [path: string, text: string]]>([
    [
      'where its name is misspelt',
      ours('smart-scop', { valueString: 'system/Group.r' }),
      ['.url', expect.stringMatching(/^No extension `.*smart-scop` exists\. Did you mean `smart-scope`\?/)],
    ],
    [
      'where its base is misspelt',
      { url: `${base.replace('records', 'record')}smart-scope`, valueString: 'system/Group.r' },
      [
        '.url',
        `No extension \`${base.replace('records', 'record')}smart-scope\` exists. Did you mean \`${base}smart-scope\`?`,
      ],
    ],
    [
      'where the base is missing',
      { url: 'smart-scope', valueString: 'system/Group.r' },
      ['.url', `No extension \`smart-scope\` exists. Did you mean \`${base}smart-scope\`?`],
    ],
    [
      'with a value of another type',
      ours('smart-scope', { valueCode: 'system/Group.r' }),
      ['', 'The extension `smart-scope` has `valueCode`; expected `valueString` alone.'],
    ],
    [
      'without a value',
      ours('sort-date', {}),
      ['', 'The extension `sort-date` has no value; expected `valueCode` alone.'],
    ],
    [
      'with a scope that is none',
      ours('smart-scope', { valueString: 'system/Group.read' }),
      [
        '.valueString',
        'The extension `smart-scope` has `system/Group.read`; expected `fhirUser` or a scope such as `system/*.rs`.',
      ],
    ],
    [
      'with a scope of another type',
      ours('smart-scope', { valueString: 'system/Patient.r' }),
      ['.valueString', 'The scope `system/Patient.r` belongs to Patient, not to Group.'],
    ],
    [
      'with a part that it does not have',
      ours('page-size', [{ url: 'maximum', valuePositiveInt: 9 }]),
      ['.extension[0].url', 'The extension `page-size` has no part `maximum`. Its parts are `default`, `max`.'],
    ],
    [
      'with a part twice',
      ours('page-size', [
        { url: 'max', valuePositiveInt: 90 },
        { url: 'max', valuePositiveInt: 91 },
      ]),
      ['', 'The extension `page-size` has its part `max` more than once.'],
    ],
    [
      'without a part that it needs',
      ours('access-link', [{ url: 'compartment', valueCode: 'Patient' }]),
      ['', 'The extension `access-link` needs its part `parameter`.'],
    ],
    [
      'with a number that is none',
      ours('page-size', [{ url: 'max', valuePositiveInt: 0 }]),
      [
        '.extension[0].valuePositiveInt',
        'The part `max` of the extension `page-size` has 0; expected a whole number above 0.',
      ],
    ],
    [
      'with a default page above the maximum',
      ours('page-size', [
        { url: 'default', valuePositiveInt: 20 },
        { url: 'max', valuePositiveInt: 10 },
      ]),
      ['', 'The default page size 20 is above the maximum 10.'],
    ],
    [
      'with a date that is not indexed',
      sortDate,
      ['.valueCode', 'Group neither offers a parameter `date` nor has it `indexed-only`.'],
    ],
    [
      'with an order by what is no date',
      ours('sort-date', { valueCode: 'code' }),
      ['.valueCode', 'The parameter `code` is of type token; the default order goes by a date.'],
    ],
    [
      'with a parameter that is not loaded',
      ours('indexed-only', { valueCanonical: `${official}Group-x` }),
      ['.valueCanonical', expect.stringMatching(/^No SearchParameter `.*Group-x` is loaded\./)],
    ],
    [
      'with a compartment that is not loaded',
      ours('access-link', [
        { url: 'compartment', valueCode: 'Pateint' },
        { url: 'parameter', valueCode: 'managing-entity' },
      ]),
      [
        '.extension[0].valueCode',
        'No CompartmentDefinition with the code `Pateint` is loaded. Did you mean `Patient`?',
      ],
    ],
    [
      'with a link that leads elsewhere',
      ours('access-link', [{ url: 'parameter', valueCode: 'managing-entity' }]),
      ['.extension[0].valueCode', 'The parameter `managing-entity` of Group never leads to a Patient.'],
    ],
    [
      'with an unknown link',
      ours('access-link', [{ url: 'parameter', valueCode: 'membr' }]),
      ['.extension[0].valueCode', 'No SearchParameter `membr` of Group is loaded. Did you mean `member`?'],
    ],
    [
      'with criteria that are not indexed',
      ours('access-criteria', [
        { url: 'context', valueCode: 'user' },
        { url: 'criteria', valueString: 'cod=x' },
      ]),
      [
        '.extension[1].valueString',
        'Group neither offers a parameter `cod` nor has it `indexed-only`. Did you mean `code`?',
      ],
    ],
    [
      'with an unknown placeholder',
      ours('access-criteria', [
        { url: 'context', valueCode: 'user' },
        { url: 'criteria', valueString: 'code={user}' },
      ]),
      ['.extension[1].valueString', '`{user}` is not a placeholder; use `{fhirUser}` or `{clientId}`.'],
    ],
    [
      'with criteria for no context',
      ours('access-criteria', [
        { url: 'context', valueCode: 'patient' },
        { url: 'criteria', valueString: 'code=x' },
      ]),
      [
        '.extension[0].valueCode',
        'The part `context` of the extension `access-criteria` has `patient`; expected `user` or `system`.',
      ],
    ],
    [
      'with a path that leads nowhere',
      ours('server-set', [
        { url: 'path', valueString: 'Group.nmae' },
        { url: 'value', valueCode: 'now' },
      ]),
      ['', '`Group.nmae` does not exist: Group has no `nmae`. Did you mean `name`?'],
    ],
    [
      'with a path to what is no time',
      ours('server-set', [
        { url: 'path', valueString: 'Group.name' },
        { url: 'value', valueCode: 'now' },
      ]),
      ['', '`Group.name` is a string; `now` is for a date, dateTime or instant.'],
    ],
    [
      'where it has no meaning',
      ours('incomplete', { valueString: 'x' }),
      [
        '',
        'The extension `incomplete` is not allowed on `CapabilityStatement.rest.resource`; it belongs on ' +
          '`StructureDefinition`.',
      ],
    ],
  ])('%s', async (_what, extension, [path, text]) => {
    const code = { name: 'code', definition: `${official}Group-code`, type: 'token' };
    const { problems } = await loadOnly(statement([group({ extension: [extension], searchParam: [code] })]));
    expect(problems).toEqual([{ file: 'capability/ours.json', path: `${at}.extension[0]${path}`, text }]);
  });

  it('with an attachment that is no binary', async () => {
    const extension = ours('attachment', [
      { url: 'path', valueString: 'Group.name' },
      { url: 'maxBytes', valuePositiveInt: 10 },
      {
        url: 'contentType',
        extension: [
          { url: 'type', valueCode: 'jpeg' },
          { url: 'signature', valueString: 'FF' },
        ],
      },
    ]);
    const { problems } = await loadOnly(statement([group({ extension: [extension] })]));
    expect(problems.map(({ path, text }) => [path.slice(at.length), text])).toEqual([
      [
        '.extension[0].extension[2].extension[0].valueCode',
        'The part `type` of the part `contentType` of the extension `attachment` has `jpeg`; expected a ' +
          'MIME type such as `image/jpeg`.',
      ],
      [
        '.extension[0].extension[2].extension[1].valueString',
        'The part `signature` of the part `contentType` of the extension `attachment` has `FF`; expected ' +
          'bytes in lower case hex, `..` for any byte, such as `ffd8ff`.',
      ],
      ['.extension[0]', '`Group.name` is a string; an attachment is base64Binary.'],
    ]);
  });

  it.each<[string, object, string]>([
    ['on the statement', { extension: [ours('smart-scope', { valueString: 'system/Group.r' })] }, 'extension[0]'],
    [
      'as a modifier',
      {
        rest: [
          {
            mode: 'server',
            resource: [group({ modifierExtension: [ours('smart-scope', { valueString: 'system/Group.r' })] })],
          },
        ],
      },
      `${at}.modifierExtension[0]`,
    ],
  ])('%s', async (_what, fields, path) => {
    const { problems } = await loadOnly({ ...statement([group()]), ...fields });
    expect(problems).toContainEqual({
      file: 'capability/ours.json',
      path,
      text: expect.stringContaining('; it belongs on `CapabilityStatement.rest.resource`.'),
    });
  });

  it('more often than its maximum', async () => {
    const policy = ours('validation-policy', { valueCode: 'warn' });
    const { problems } = await loadOnly(statement([group({ extension: [policy, policy] })]));
    expect(problems).toEqual([
      {
        file: 'capability/ours.json',
        path: `${at}.extension[1]`,
        text: 'The extension `validation-policy` is repeated here.',
      },
    ]);
  });

  it('but extensions of others are let be', async () => {
    const extension = [
      { url: 'https://example.org/StructureDefinition/attachment', valueString: 'x' },
      { url: 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-expectation', valueCode: 'SHALL' },
    ];
    expect((await loadOnly(statement([group({ extension })]))).problems).toEqual([]);
  });
});

describe('the types of clinicians', () => {
  const naming = (...names: string[]) =>
    loadOnly(
      statement(
        [group()],
        names.length === 0 ? {} : { extension: names.map(name => ours('clinician', { valueCode: name })) },
      ),
    );

  it('are those of SMART, where the capability files name none', async () => {
    expect([...((await naming()).model?.clinicians ?? [])]).toEqual(['Practitioner', 'PractitionerRole']);
  });

  it('are those that the capability files name, instead of those of SMART', async () => {
    const { model, problems } = await naming('Practitioner', 'Person');
    expect([problems, [...(model?.clinicians ?? [])]]).toEqual([[], ['Practitioner', 'Person']]);
  });

  it('are resource types of R4', async () => {
    expect((await naming('Practitionr')).problems).toEqual([
      {
        file: 'capability/ours.json',
        path: 'rest[0].extension[0].valueCode',
        text: '`Practitionr` is not a resource type of R4. Did you mean `Practitioner`?',
      },
    ]);
  });
});
