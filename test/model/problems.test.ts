import { describe, expect, it } from 'vitest';
import { operations } from '../../src/model/implemented.ts';
import {
  fhirPackage,
  loadOnly,
  loadWith,
  ours,
  profile,
  searchParameter,
  statement,
} from '../support/definition-files.ts';

// Everything that stops a start: the file, the path in it, and the sentence.

const group = (fields: object = {}) => ({
  type: 'Group',
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  ...fields,
});
const practitioner = (fields: object = {}) => ({
  type: 'Practitioner',
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  ...fields,
});
const official = 'http://hl7.org/fhir/SearchParameter/';
const at = 'rest[0].resource[0]';
const base = 'https://clinical-records.example/fhir/StructureDefinition/';

const served = [...operations.keys()].map(code => `\`$${code}\``).join(', ');
const operation = (name: string): string => `http://hl7.org/fhir/OperationDefinition/${name}`;

describe('a CapabilityStatement is refused', () => {
  it.each<[string, object, [path: string, text: string][]]>([
    [
      'with a type that does not exist',
      { type: 'Pratitioner' },
      [[`${at}.type`, '`Pratitioner` is not a resource type of FHIR R4. Did you mean `Practitioner`?']],
    ],
    [
      'with an abstract type',
      { type: 'DomainResource' },
      [[`${at}.type`, '`DomainResource` is not a resource type of FHIR R4.']],
    ],
    [
      'with an element that does not exist',
      group({ searchParams: [] }),
      [[`${at}.searchParams`, expect.stringContaining('Did you mean `searchParam`?')]],
    ],
    [
      'with an interaction that does not exist',
      group({ interaction: [{ code: 'search' }] }),
      [
        [
          `${at}.interaction[0].code`,
          expect.stringMatching(/^`search` is not an interaction of a type\. They are `read`, /),
        ],
      ],
    ],
    [
      'with a parameter that is not loaded',
      group({ searchParam: [{ name: 'code', definition: `${official}Group-cod`, type: 'token' }] }),
      [
        [
          `${at}.searchParam[0].definition`,
          `No SearchParameter \`${official}Group-cod\` is loaded. Did you mean \`Group-code\`?`,
        ],
      ],
    ],
    [
      'with a parameter of another type',
      group({ searchParam: [{ name: 'active', definition: `${official}Patient-active`, type: 'token' }] }),
      [[`${at}.searchParam[0].definition`, `\`${official}Patient-active\` is a parameter of Patient, not of Group.`]],
    ],
    [
      'with a parameter under another name',
      group({ searchParam: [{ name: 'kode', definition: `${official}Group-code`, type: 'token' }] }),
      [[`${at}.searchParam[0].name`, 'The parameter is called `code` by its definition, not `kode`.']],
    ],
    [
      'with a parameter of another search type',
      group({ searchParam: [{ name: 'code', definition: `${official}Group-code`, type: 'string' }] }),
      [[`${at}.searchParam[0].type`, 'The parameter `code` is of type token by its definition, not "string".']],
    ],
    [
      'with an unknown parameter without definition',
      group({ searchParam: [{ name: 'cod', type: 'token' }] }),
      [[`${at}.searchParam[0].name`, 'No SearchParameter `cod` of Group is loaded. Did you mean `code`?']],
    ],
    [
      'with a parameter that steers the answer',
      group({ searchParam: [{ name: '_count', type: 'number' }] }),
      [
        [
          `${at}.searchParam[0].name`,
          '`_count` is not a search parameter but controls the answer; remove the declaration.',
        ],
      ],
    ],
    [
      'with a parameter but no search',
      group({ interaction: [{ code: 'read' }], searchParam: [{ name: 'code', type: 'token' }] }),
      [[`${at}.searchParam[0]`, 'Group declares no `search-type`, so it can offer no parameter.']],
    ],
    [
      'with a profile that is not loaded',
      group({ supportedProfile: ['https://example.org/StructureDefinition/actualgrup'] }),
      [
        [
          `${at}.supportedProfile[0]`,
          'No StructureDefinition `https://example.org/StructureDefinition/actualgrup` is loaded. Did you ' +
            'mean `actualgroup`?',
        ],
      ],
    ],
    [
      'with a profile of another type',
      group({ profile: 'http://hl7.org/fhir/StructureDefinition/Patient' }),
      [[`${at}.profile`, '`http://hl7.org/fhir/StructureDefinition/Patient` is a profile of Patient, not of Group.']],
    ],
    [
      'with a version of a profile that is not loaded',
      group({ profile: 'http://hl7.org/fhir/StructureDefinition/Group|9' }),
      [
        [
          `${at}.profile`,
          'No StructureDefinition `http://hl7.org/fhir/StructureDefinition/Group|9` is loaded. Did you mean `Group`?',
        ],
      ],
    ],
    [
      'with an operation that is not loaded',
      group({ operation: [{ name: 'validate', definition: operation('Resource-valid') }] }),
      [
        [
          `${at}.operation[0].definition`,
          `No OperationDefinition \`${operation('Resource-valid')}\` is loaded. Did you mean ` +
            `\`${operation('Resource-validate')}\`?`,
        ],
      ],
    ],
    [
      'with an operation by another name',
      group({ operation: [{ name: 'check', definition: operation('Resource-validate') }] }),
      [[`${at}.operation[0].name`, 'The operation is called `validate` by its definition, not `check`.']],
    ],
    [
      'with an operation of another type',
      group({ operation: [{ name: 'match', definition: operation('Patient-match') }] }),
      [
        [
          `${at}.operation[0].definition`,
          `\`${operation('Patient-match')}\` is an operation of Patient, not of Group.`,
        ],
        [
          `${at}.operation[0].definition`,
          `The operation \`$match\` is not served yet; remove it. ${served} are served.`,
        ],
      ],
    ],
    [
      'with an operation that needs search parameters',
      {
        type: 'Observation',
        interaction: [{ code: 'search-type' }],
        operation: [{ name: 'lastn', definition: operation('Observation-lastn') }],
      },
      [
        [`${at}.operation[0].definition`, '`$lastn` needs the search parameter `code`; declare it on the type.'],
        [`${at}.operation[0].definition`, '`$lastn` needs the search parameter `date`; declare it on the type.'],
      ],
    ],
    [
      'with an operation that needs a compartment',
      group({ operation: [{ name: 'everything', definition: operation('Group-everything') }] }),
      [
        [
          `${at}.operation[0].definition`,
          '`$everything` needs the CompartmentDefinition of Group, which is not loaded.',
        ],
      ],
    ],
    [
      'with includes that lead nowhere',
      group({ searchInclude: ['Group', 'Grup:member', 'Group:membre'], searchRevInclude: ['Group:code:Patient'] }),
      [
        [
          `${at}.searchInclude[0]`,
          '`Group` is not valid; expected `Type:parameter`, `Type:parameter:target`, `Type:*` or `*`.',
        ],
        [`${at}.searchInclude[1]`, '`Grup:member`: Grup is not declared. Did you mean `Group`?'],
        [`${at}.searchInclude[2]`, '`Group:membre`: Group offers no reference parameter `membre`.'],
        [`${at}.searchRevInclude[0]`, '`Group:code:Patient`: Group offers no reference parameter `code`.'],
      ],
    ],
    [
      'with sort indexes of parameters that it does not offer, or that have no order',
      group({
        extension: ['cod', 'characteristic-value'].map(valueCode => ({ url: `${base}sort-index`, valueCode })),
        searchParam: [
          { name: 'code', type: 'token' },
          { name: 'characteristic-value', type: 'composite' },
        ],
      }),
      [
        [`${at}.extension[0].valueCode`, 'Group offers no parameter `cod`. Did you mean `code`?'],
        [
          `${at}.extension[1].valueCode`,
          'The parameter `characteristic-value` is of type composite, by which nothing can be sorted.',
        ],
      ],
    ],
    [
      'with a search feature that does not exist',
      group({ extension: [{ url: `${base}search-feature`, valueCode: 'chains' }] }),
      [
        [
          `${at}.extension[0].valueCode`,
          'The extension `search-feature` has `chains`; expected ' +
            '`chain`, `has`, `filter`, `score` or `contained`.',
        ],
      ],
    ],
    [
      'with a modifier that its parameter cannot have',
      group({
        extension: [{ url: `${base}search-modifier`, valueCode: 'of-type' }],
        searchParam: [
          { name: 'code', type: 'token', extension: [{ url: `${base}search-modifier`, valueCode: 'ofType' }] },
          { name: 'member', type: 'reference', extension: [{ url: `${base}search-modifier`, valueCode: 'text' }] },
        ],
      }),
      [
        [
          `${at}.extension[0].valueCode`,
          'The extension `search-modifier` has `of-type`; expected ' +
            '`text`, `ofType`, `in`, `not-in`, `type`, `identifier`, `above` or `below`.',
        ],
        [
          `${at}.searchParam[0].extension[0].valueCode`,
          'The parameter `code` of type token cannot have the modifier `ofType`. It can have ' +
            '`text`, `in`, `not-in`, `above`, `below`.',
        ],
        [
          `${at}.searchParam[1].extension[0].valueCode`,
          'The parameter `member` of type reference cannot have the modifier `text`. It can have `type`, `identifier`.',
        ],
      ],
    ],
  ])('%s', async (_what, resource, expected) => {
    const { model, problems } = await loadOnly(statement([resource]));
    expect(problems).toEqual(expected.map(([path, text]) => ({ file: 'capability/ours.json', path, text })));
    expect(model).toBeUndefined();
  });

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

describe('a search parameter is refused', () => {
  it.each<[string, { type?: string; [name: string]: unknown }, [path: string, text: unknown]]>([
    [
      'with an expression that does not parse',
      { expression: 'Practitioner.name.' },
      ['expression', expect.stringMatching(/^`Practitioner\.name\.` does not compile for Practitioner: /)],
    ],
    [
      'with an element that does not exist',
      { expression: 'Practitioner.nam' },
      ['expression', expect.stringMatching(/^`Practitioner\.nam` does not compile for Practitioner: .*nam/)],
    ],
    [
      'with a function that does not exist',
      { expression: 'Practitioner.name.frist()' },
      ['expression', expect.stringMatching(/frist/)],
    ],
    [
      'with an expression that is nested too deep',
      { expression: `${'('.repeat(500)}Practitioner.active${')'.repeat(500)}` },
      ['expression', expect.stringContaining('nested too deep')],
    ],
    [
      'with an expression that is too long',
      { expression: `Practitioner.active${'.not()'.repeat(5_000)}` },
      ['expression', expect.stringContaining('too long')],
    ],
    [
      'whose type finds nothing in what the expression gives',
      { type: 'date', expression: 'Practitioner.active' },
      [
        'expression',
        '`Practitioner.active` gives `boolean`, which a parameter of type date cannot index; it can ' +
          'index `date`, `dateTime`, `instant`, `Period`, `Timing`.',
      ],
    ],
    [
      'without an expression',
      { expression: undefined },
      ['expression', 'The parameter `x` has no FHIRPath `expression`, so it cannot be indexed.'],
    ],
    [
      'with an expression of another type',
      { expression: 'Patient.name' },
      ['expression', 'No part of `Patient.name` applies to Practitioner, which is a `base` of the parameter.'],
    ],
    [
      'as a composite with a component that finds nothing',
      {
        type: 'composite',
        expression: 'Practitioner',
        component: [
          { definition: `${official}Practitioner-name`, expression: 'name' },
          { definition: `${official}Practitioner-active`, expression: 'birthDate' },
        ],
      },
      ['component[1].expression', expect.stringMatching(/^`birthDate` gives `date`, which a parameter of type token/)],
    ],
    [
      'as a composite with one component',
      {
        type: 'composite',
        expression: 'Practitioner',
        component: [{ definition: `${official}Practitioner-name`, expression: 'name' }],
      },
      ['component', 'A composite parameter needs two components or more.'],
    ],
  ])('%s, in its own file', async (_what, fields, [path, text]) => {
    const parameter = searchParameter('x', {
      base: ['Practitioner'],
      type: 'token',
      expression: 'Practitioner.identifier',
      ...fields,
    });
    const declared = practitioner({
      searchParam: [{ name: 'x', definition: 'https://example.org/SearchParameter/x', type: fields.type ?? 'token' }],
    });
    const { problems } = await loadWith({
      'capability/p.json': statement([declared]),
      'searchparameters/x.json': parameter,
    });
    expect(problems).toEqual([{ file: 'searchparameters/x.json', path, text }]);
  });

  const offer =
    'The types are `number`, `date`, `string`, `token`, `reference`, `composite`, `quantity`, `uri`, `special`.';
  it.each<[string, object, [path: string, text: string]]>([
    [
      'without a base',
      { base: undefined },
      [
        'base',
        'The SearchParameter has no `base`; write the resource types that can be searched by it, such as ' +
          '`"base": ["Practitioner"]`.',
      ],
    ],
    [
      'with a base that is no list',
      { base: 'Practitioner' },
      ['base', '`base` is a list; write `"base": ["Practitioner"]`.'],
    ],
    [
      'with a base that does not exist',
      { base: ['Pratitioner'] },
      ['base[0]', '`Pratitioner` is not a resource type of FHIR R4. Did you mean `Practitioner`?'],
    ],
    [
      'with a type that does not exist',
      { type: 'tokn' },
      ['type', `\`tokn\` is not a type of search parameter. Did you mean \`token\`? ${offer}`],
    ],
    [
      'without a type',
      { type: undefined },
      ['type', `The SearchParameter has no \`type\`; write its type of search. ${offer}`],
    ],
    [
      'without a code',
      { code: undefined },
      [
        'code',
        'The SearchParameter has no `code`; write the name by which clients search, such as `"code": "license"`.',
      ],
    ],
    [
      'without a url',
      { url: undefined },
      [
        'url',
        'The SearchParameter has no `url`; write the canonical URL by which other definitions name it, ' +
          'such as `"url": "https://example.org/fhir/SearchParameter/x"`.',
      ],
    ],
  ])('%s, whether a type names it or not', async (_what, fields, [path, text]) => {
    const parameter = { base: ['Practitioner'], type: 'token', expression: 'Practitioner.identifier', ...fields };
    const files = { 'searchparameters/x.json': searchParameter('x', parameter) };
    const named = { name: 'x', definition: 'https://example.org/SearchParameter/x', type: 'token' };
    for (const searchParam of [[named], undefined]) {
      const { problems } = await loadOnly(statement([practitioner({ searchParam })]), files);
      const own = problems.filter(({ file }) => file === 'beside/searchparameters/x.json');
      expect(own.map(one => [one.path, one.text])).toEqual([[path, text]]);
      const others = problems.filter(({ file }) => file !== 'beside/searchparameters/x.json');
      // Without a url it is unknown what the capability file names.
      expect(others.length).toBe(path === 'url' && searchParam !== undefined ? 1 : 0);
    }
  });

  it.each(['a:b', 'a b', 'a.b', 'a,b', 'a|b', 'é', ''])(
    'with the code `%s`, which no search could name',
    async code => {
      const parameter = searchParameter('x', {
        base: ['Practitioner'],
        type: 'token',
        expression: 'Practitioner.active',
        code,
      });
      const declared = practitioner({ searchParam: [{ name: code, definition: parameter.url, type: 'token' }] });
      const { problems } = await loadWith({
        'capability/p.json': statement([declared]),
        'searchparameters/x.json': parameter,
      });
      expect(problems.map(({ file, path }) => `${file} ${path}`)).toContain('searchparameters/x.json code');
    },
  );

  it('where a code is another one’s too, unless the capability file says which is meant', async () => {
    const own = searchParameter('name', {
      base: ['Practitioner'],
      type: 'string',
      expression: 'Practitioner.name.text',
    });
    const files = (searchParam: object) => ({
      'capability/p.json': statement([practitioner({ searchParam: [searchParam] })]),
      'searchparameters/name.json': own,
    });
    const { problems } = await loadWith(files({ name: 'name', type: 'string' }));
    expect(problems).toEqual([
      {
        file: 'capability/p.json',
        path: `${at}.searchParam[0].name`,
        text:
          `Practitioner has several parameters with the code \`name\`: \`${official}Practitioner-name\` ` +
          `(profiles/r4-core.ndjson) and \`${own.url}\` (searchparameters/name.json). Name the one that is ` +
          'meant in a `definition`.',
      },
    ]);
    const named = await loadWith(files({ name: 'name', definition: own.url, type: 'string' }));
    expect(named.problems).toEqual([]);
    expect(named.model?.types.get('Practitioner')?.parameters.get('name')?.expression).toBe('Practitioner.name.text');
  });
});

describe('a file is refused', () => {
  it.each<[string, string, unknown, [path: string, text: unknown]]>([
    ['that is not JSON', 'profiles/a.json', '{"a": 1,}', ['', expect.stringMatching(/Line 1, column 9\.$/)]],
    [
      'with a property twice',
      'capability/a.json',
      '{"resourceType": "CapabilityStatement", "extension": [], "extension": []}',
      ['', expect.stringMatching(/extension/)],
    ],
    ['with two byte order marks', 'profiles/a.json', '\uFEFF\uFEFF{}', ['', expect.stringMatching(/byte order mark/)]],
    [
      'whose resource type is misspelt',
      'searchparameters/a.json',
      { resourceType: 'SearchParamter' },
      ['resourceType', '`SearchParamter` is not a resource type of FHIR R4. Did you mean `SearchParameter`?'],
    ],
    [
      'that is XML and not well-formed',
      'profiles/a.xml',
      '<?xml version="1.0"?>\n<!-- ours -->\n<StructureDefinition xmlns="http://hl7.org/fhir"><id value="a"/>',
      ['', expect.stringMatching(/unclosed tag: StructureDefinition. Line 3, column \d+\.$/)],
    ],
    ['that is not JSON, by a name in capitals', 'profiles/A.JSON', '{', ['', expect.stringMatching(/^The text ends/)]],
    [
      'of another release',
      'profiles/a.json',
      { ...profile('p', 'Group'), fhirVersion: '5.0.0', versionAlgorithmString: 'semver' },
      ['fhirVersion', 'The StructureDefinition is for FHIR 5.0.0; this server is FHIR R4 (4.0.1).'],
    ],
    [
      'without a url',
      'profiles/a.json',
      { ...profile('p', 'Group'), url: undefined },
      ['url', expect.stringMatching(/^The StructureDefinition has no `url`; write the canonical URL by which /)],
    ],
  ])('%s', async (_what, file, content, [path, text]) => {
    const { problems } = await loadWith({ [file]: content });
    expect(problems).toEqual([{ file, path, text }]);
  });

  it('but examples and files that are not FHIR are passed over', async () => {
    const { problems, notices } = await loadWith({
      'profiles/example.json': { resourceType: 'Patient', id: 'x' },
      'profiles/tsconfig.json': { compilerOptions: {} },
      'profiles/notes.txt': 'hello',
      'profiles/patient.xml': '<Patient xmlns="http://hl7.org/fhir"/>',
      'profiles/build.xml': '<project name="ValueSet" xmlns="urn:x"/>',
      // The folder of a published guide has each definition as JSON, XML and Turtle.
      'profiles/p.json': profile('p', 'Group'),
      'profiles/p.xml': '<StructureDefinition xmlns="http://hl7.org/fhir"><id value="p"/></StructureDefinition>',
    });
    expect([problems, notices]).toEqual([[], []]);
  });
});

describe('a profile that does not say that it is one', () => {
  const group = (fields: object) => ({ ...profile('p', 'Group'), ...fields });
  const start = '`https://example.org/StructureDefinition/p` is a profile of Group, but';
  it.each<[title: string, fields: object, problem: string]>([
    ['has another derivation', { derivation: 'specialization' }, 'its `derivation` is "specialization".'],
    ['has no derivation', { derivation: undefined }, 'has no `derivation`.'],
    [
      'rests on another profile',
      { derivation: undefined, baseDefinition: 'http://hl7.org/fhir/StructureDefinition/actualgroup' },
      'has no `derivation`.',
    ],
  ])('%s', async (_title, fields, problem) => {
    const { problems } = await loadWith({ 'profiles/p.json': group(fields) });
    expect(problems).toEqual([
      { file: 'profiles/p.json', path: 'derivation', text: `${start} ${problem} Write \`constraint\`.` },
    ]);
  });

  it('is a notice where it comes in a package', async () => {
    const { problems, notices } = await loadWith({
      'profiles/p.tgz': fhirPackage({ name: 'p', version: '1' }, { 'p.json': group({ derivation: 'specialization' }) }),
    });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      `profiles/p.tgz/package/p.json: ${start} its \`derivation\` is "specialization". It counts as a constraint.`,
    ]);
  });

  it('is no problem of a type itself, or of a logical model', async () => {
    const own = { derivation: 'specialization', baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Element' };
    const { problems } = await loadWith({
      'profiles/a.json': group({ ...own, kind: 'complex-type', type: 'p' }),
      'profiles/b.json': group({
        ...own,
        kind: 'logical',
        url: 'https://example.org/StructureDefinition/q',
        type: 'q',
      }),
    });
    expect(problems).toEqual([]);
  });
});

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
      'The extension `selected-by` has `code`; expected the path of a coded element such as `Observation.code`.',
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
