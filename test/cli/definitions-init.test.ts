// https://hl7.org/fhir/R4/capabilitystatement.html: what a published guide requires of servers, as a capability folder.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectsOf } from '../../src/fhir/json-object.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { fhirPackage, folderWith, profile, searchParameter } from '../support/definition-files.ts';
import { serve } from '../support/serve.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
const expectation = (valueCode: string) => ({
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-expectation', valueCode }],
});
const asked = (code: string, how = 'SHALL') => ({ code, ...expectation(how) });
const official = 'http://hl7.org/fhir/SearchParameter/';
const compartment = (code: string) => `http://hl7.org/fhir/CompartmentDefinition/${code}`;
const requirements = (resource: readonly object[], fields: object = {}) => ({
  resourceType: 'CapabilityStatement',
  id: 'example-server',
  url: 'https://example.org/CapabilityStatement/example-server',
  version: '2.0.0',
  name: 'ExampleServer',
  status: 'active',
  date: '2025-01-01',
  kind: 'requirements',
  fhirVersion: '4.0.1',
  format: ['json', 'xml', 'ttl'],
  rest: [
    {
      mode: 'server',
      resource,
      interaction: [{ code: 'transaction' }],
      searchParam: [
        { name: '_count', type: 'number' },
        { name: '_tag', definition: `${official}Resource-tag`, type: 'token' },
        { name: '_profile', definition: `${official}Resource-profile`, type: 'uri', ...expectation('SHOULD-NOT') },
      ],
      compartment: [compartment('patient'), compartment('device')],
    },
  ],
  ...fields,
});
const manifest = { name: 'example.guide', version: '2.0.0', fhirVersions: ['4.0.1'] };

const condition = {
  type: 'Condition',
  ...expectation('SHALL'),
  supportedProfile: [
    'https://example.org/StructureDefinition/coded',
    'https://example.org/StructureDefinition/elsewhere',
  ],
  interaction: [
    asked('create', 'MAY'),
    asked('read'),
    asked('search-type'),
    asked('vread', 'SHOULD'),
    asked('delete', 'MAY'),
  ],
  searchInclude: ['Condition:patient', 'Condition:nowhere'],
  searchRevInclude: ['Provenance:target'],
  referencePolicy: ['resolves'],
  searchParam: [
    { name: '_id', definition: 'https://example.org/SearchParameter/id', type: 'token' },
    { name: 'patient', definition: `${official}clinical-patient`, type: 'reference' },
    { name: 'code' },
    { name: 'wrong', definition: 'https://example.org/SearchParameter/wrong', type: 'token' },
    { name: 'nowhere', definition: 'https://example.org/SearchParameter/nowhere', type: 'token' },
  ],
  operation: [{ name: 'graphql', definition: 'http://hl7.org/fhir/OperationDefinition/Resource-graphql' }],
};
const organization = {
  type: 'Organization',
  interaction: [asked('create', 'SHOULD'), asked('patch', 'MAY'), asked('read'), asked('search-type', 'MAY')],
  conditionalCreate: true,
  searchInclude: ['Condition:encounter'],
  searchParam: [
    { name: 'name', definition: `${official}Organization-name`, type: 'string' },
    { name: 'active', definition: `${official}Organization-active`, type: 'token', ...expectation('SHOULD-NOT') },
  ],
};
const patient = { type: 'Patient', interaction: [asked('read')], versioning: 'versioned-update' };
const valueSet = {
  type: 'ValueSet',
  operation: [{ name: 'expand', definition: 'http://hl7.org/fhir/OperationDefinition/ValueSet-expand' }],
};

const definitions = {
  'SearchParameter-code.json': searchParameter('code', {
    base: ['Condition'],
    type: 'token',
    expression: 'Condition.code',
  }),
  'SearchParameter-wrong.json': searchParameter('wrong', {
    base: ['Condition'],
    type: 'token',
    expression: 'Condition.cod',
  }),
  'StructureDefinition-coded.json': profile('coded', 'Condition', {
    differential: { element: [{ id: 'Condition.code', path: 'Condition.code', min: 1 }] },
  }),
};
const guide = (resources: readonly object[], more: object = {}) =>
  folderWith({
    'guide.tgz': fhirPackage(manifest, {
      'CapabilityStatement-client.json': requirements([], { id: 'client', rest: [{ mode: 'client' }] }),
      'CapabilityStatement-server.json': requirements(resources),
      ...definitions,
      ...more,
    }),
  });

const init = async (folder: string, ...args: string[]) => {
  const out = join(folder, 'out');
  const ended = await run(['definitions', 'init', '--from', join(folder, 'guide.tgz'), '--out', out, ...args]);
  const file = join(out, 'example-server.json');
  const written = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  const resources = objectsOf(written?.rest[0].resource);
  return { ...ended, out, file, written, resources };
};
const scopesOf = (resource: JsonObject | undefined) =>
  objectsOf(resource?.['extension']).map(({ valueString }) => valueString);

describe('definitions init', () => {
  it('declares what a guide requires, if it is supported, and prints the rest with the reasons', async () => {
    const folder = guide([condition, organization, patient, valueSet]);
    const { code, stdout, written, resources, out, file } = await init(folder);
    expect(code).toBe(0);
    expect(written).toMatchObject({
      resourceType: 'CapabilityStatement',
      kind: 'capability',
      format: ['application/fhir+json', 'json'],
      description:
        'What this server implements of https://example.org/CapabilityStatement/example-server|2.0.0; ' +
        'written by `definitions init`.',
    });
    expect(resources.map(({ type }) => type)).toEqual(['Condition', 'Organization', 'Patient', 'ValueSet']);
    const [first, second, third, fourth] = resources;
    expect(first).toMatchObject({
      supportedProfile: ['https://example.org/StructureDefinition/coded'],
      interaction: [{ code: 'read' }, { code: 'search-type' }, { code: 'vread' }],
      searchParam: [
        { name: 'patient', definition: `${official}clinical-patient`, type: 'reference' },
        { name: 'code', definition: 'https://example.org/SearchParameter/code', type: 'token' },
        { name: 'encounter', definition: `${official}Condition-encounter`, type: 'reference' },
      ],
    });
    expect(written.instantiates).toEqual(['https://example.org/CapabilityStatement/example-server|2.0.0']);
    expect(written.rest[0]).toMatchObject({
      searchParam: [
        { name: '_id' },
        { name: '_lastUpdated' },
        { name: '_tag', definition: `${official}Resource-tag`, type: 'token' },
      ],
      compartment: [compartment('patient')],
    });
    expect(second).toMatchObject({
      interaction: [{ code: 'create' }, { code: 'read' }, { code: 'search-type' }],
      conditionalCreate: true,
      searchParam: [{ name: 'name' }],
    });
    expect(fourth).toEqual({
      type: 'ValueSet',
      versioning: 'versioned',
      operation: [{ name: 'expand', definition: 'http://hl7.org/fhir/OperationDefinition/ValueSet-expand' }],
    });
    expect(first).toMatchObject({ searchInclude: ['Condition:patient'] });
    expect(first).not.toHaveProperty('searchRevInclude');
    expect(first).not.toHaveProperty('operation');
    expect(scopesOf(first)).toEqual(['patient/Condition.rs', 'user/Condition.rs', 'system/Condition.rs']);
    expect(scopesOf(second)).toEqual(['user/Organization.crs', 'system/Organization.crs']);
    expect(scopesOf(third)).toEqual(['patient/Patient.r', 'user/Patient.r', 'system/Patient.r']);
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'Omitted from Condition: `create`, `delete`. The guide says MAY; declare it, with a scope, if clients should ' +
          'have it.',
        'Omitted from Condition: `searchInclude` `Condition:nowhere`. `Condition:nowhere`: Condition offers no ' +
          'reference parameter `nowhere`.',
        'Omitted from Condition: `searchRevInclude` `Provenance:target`. `Provenance:target`: Provenance is not ' +
          'declared.',
        'Omitted from the system: `transaction`. Declare it in `rest.interaction` if clients should have it.',
        'Omitted from Condition: the parameter `nowhere`. No SearchParameter defines it.',
        expect.stringMatching(/^Omitted from Condition: the parameter `wrong`\. `Condition\.cod` does not compile /),
        expect.stringMatching(
          /^Omitted from Condition: the operation `graphql`\. The operation `\$graphql` is not served yet\. /,
        ),
        expect.stringMatching(
          /^Omitted from Condition: the profile `.*elsewhere`\. No StructureDefinition .* is loaded\./,
        ),
        'Added to Condition: the parameter `encounter`, which `Condition:encounter` of the guide needs.',
        'Omitted from Organization: `patch`. The guide says MAY; declare it, with a scope, if clients should have it.',
        'Omitted from Organization: the parameter `active`. The guide says SHOULD-NOT; declare it if clients should ' +
          'have it.',
        'Omitted from the system: the parameter `_profile`. The guide says SHOULD-NOT; declare it if clients should ' +
          'have it.',
        `Omitted from the system: the compartment \`${compartment('device')}\`. It is that of Device, which is not ` +
          'declared.',
        'Omitted from Patient: `versioning` versioned-update. Records have versions, and a type without updates ' +
          'cannot require them.',
        'Omitted from the statement: `format` ttl. Resources are JSON and XML.',
        `Wrote ${file}: 4 resource types with 4 search parameters.`,
      ]),
    );
    const next = /Next: (.*)/.exec(stdout)?.[1]?.split(' ') ?? [];
    expect(next.slice(0, 4)).toEqual(['definitions', 'check', '--capability', out]);
    expect(await run(next)).toMatchObject({ code: 0, stderr: '' });
  });

  it('serves the examples of the guide by what it wrote', async () => {
    const folder = guide([condition, patient]);
    const { out } = await init(folder);
    const examples = [
      { resourceType: 'Patient', id: 'ann' },
      {
        resourceType: 'Condition',
        id: 'c1',
        subject: { reference: 'Patient/ann' },
        code: { coding: [{ code: 'flu' }] },
      },
    ];
    const server = await serve(examples, ['--capability', out, '--definitions', join(folder, 'guide.tgz')]);
    try {
      expect((await server.get('/Condition/c1')).status).toBe(200);
      const { json } = await server.get('/Condition?patient=ann&code=flu&_id=c1');
      expect(json.entry.map((entry: { resource: { id: string } }) => entry.resource.id)).toEqual(['c1']);
    } finally {
      await server.close();
    }
  });

  it('declares reads, searches and the parameters of R4 where a guide says only what records look like', async () => {
    const folder = guide([{ type: 'Condition' }, { type: 'Patient' }]);
    const { stdout, resources, out } = await init(folder, '--types', 'Condition');
    expect(stdout).toContain(
      'The guide names no interactions and parameters, so `read`, `search-type` and the parameters of R4',
    );
    expect(resources.map(({ type }) => type)).toEqual(['Condition']);
    const names = objectsOf(resources[0]?.['searchParam']).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['clinical-status', 'code', 'onset-date', 'patient']));
    const checked = ['definitions', 'check', '--capability', out, '--definitions', join(folder, 'guide.tgz')];
    expect((await run(checked)).code).toBe(0);
  });

  it.each<[string, object, string[], RegExp]>([
    [
      'a type that the guide does not name',
      {},
      ['--types', 'Condition,Pateint'],
      /^The guide does not name `Pateint`\. Did you mean `Patient`\? It names Condition, Patient\.$/m,
    ],
    [
      'a statement that does not exist',
      {},
      ['--statement', 'servr'],
      /has no CapabilityStatement `servr` for servers; it has `example-server`\./,
    ],
    [
      'several statements',
      { 'CapabilityStatement-b.json': requirements([patient], { id: 'b', url: 'https://example.org/b' }) },
      [],
      /has several CapabilityStatements for servers: `b`, `example-server`\. Choose one with `--statement`\./,
    ],
  ])('refuses %s', async (_what, more, args, text) => {
    const { code, stderr, written } = await init(guide([condition, patient], more), ...args);
    expect([code, written]).toEqual([1, undefined]);
    expect(stderr).toMatch(text);
  });

  it('refuses what is no package, and to write beside other statements', async () => {
    const folder = folderWith({ 'guide.tgz': 'no package', 'out/other.json': '{}' });
    const { code, stderr } = await init(folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('guide.tgz: The file is not gzip')]);
    const full = guide([patient], {});
    await init(full);
    expect(await init(full)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /example-server\.json exists, and would be combined with it; choose another folder with `--out`\./,
      ),
    });
    expect(await run(['definitions', 'init'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`--from` is missing'),
    });
  });
});

describe('definitions init --all', () => {
  it('writes every type of R4 that is stored, with each parameter, and says what is omitted', async () => {
    const folder = join(folderWith({}), 'all');
    const { code, stdout } = await run(['definitions', 'init', '--all', folder]);
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^Omitted: Parameters\. R4 gives it no endpoint/),
        expect.stringMatching(/^Wrote \S+r4\.json: 145 resource types with 1\d\d\d search parameters/),
        `Next: serve --capability ${folder}`,
        '',
      ],
    ]);
    expect(await run(['definitions', 'check', '--capability', folder])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The definitions are valid: 145 resource types with 3\d\d\d search parameters/),
    });
  });

  it('writes some of the types, which a server serves', async () => {
    const out = join(folderWith({}), 'some');
    const flags = ['--all', '--types', 'Practitioner,Location', '--out', out];
    expect((await run(['definitions', 'init', ...flags])).code).toBe(0);
    const server = await serve([{ resourceType: 'Practitioner', id: 'a' }], ['--capability', out]);
    try {
      const { rest } = (await server.get('/metadata')).json;
      expect(rest[0].resource.map(({ type }: { type: string }) => type)).toEqual(['Location', 'Practitioner']);
      expect((await server.ask('DELETE', '/Practitioner/a')).status).toBe(204);
    } finally {
      await server.close();
    }
  });

  it.each([
    [['--types', 'Practitionr'], 1, /`Practitionr` is not a resource type of FHIR R4\. Did you mean `Practitioner`\?/],
    [['--types', 'Parameters'], 1, /`Parameters` cannot be declared\. R4 gives it no endpoint/],
    [['--from', 'a.tgz'], 2, /`--from` and `--statement` are for a published guide/],
    [['a', 'b'], 2, /`b` is not expected here/],
  ])('refuses %j', async (args, code, text) => {
    const ended = await run(['definitions', 'init', '--all', ...args]);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(text)]);
  });
});
