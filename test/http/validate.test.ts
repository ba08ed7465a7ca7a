// https://hl7.org/fhir/R4/resource-operation-validate.html
import { MedplumClient } from '@medplum/core';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { media } from '../support/media.ts';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  const stored = { ...media({ id: 'm1' }), content: { contentType: 'image/png' } }; // its bytes are kept apart
  const records = [patient('p1'), patient('p2', { gender: 'femal' }), stored, observation('o1')];
  server = await serve(records, ['--definitions', join(import.meta.dirname, '../fixtures/validated')]);
  await server.partition.write([{ kind: 'remove', type: 'Patient', id: 'gone' }]);
});
afterAll(() => server.close());

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.ask(method, path, {
    headers: { 'Content-Type': 'application/fhir+json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

/** The errors of an OperationOutcome as `code expression`. */
const errorsOf = ({ json }: Answer): readonly string[] =>
  (json.issue as { severity: string; code: string; expression?: string[] }[])
    .filter(({ severity }) => severity === 'error')
    .map(({ code, expression = [] }) => [code, ...expression].join(' '));

const parameters = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });
const part = (name: string, value: object) => ({ name, ...value });
const base = 'http://hl7.org/fhir/StructureDefinition';
const caCore = 'http://fhir.infoway-inforoute.ca/cacore/StructureDefinition';

it('names the place of what is wrong in its Parameters', async () => {
  const resource = part('resource', { resource: patient('x') });
  const calls: readonly (readonly [object, string])[] = [
    [{ ...parameters(resource), more: 1 }, 'Parameters'],
    [parameters(resource, part('modus', { valueCode: 'create' })), 'Parameters.parameter[1]'],
    [parameters(resource, resource), 'Parameters.parameter[1]'],
    [parameters(part('mode', { valueBoolean: true })), 'Parameters.parameter[0]'],
  ];
  for (const [body, place] of calls)
    expect(errorsOf(await ask('POST', '/Patient/$validate', body))).toEqual([`structure ${place}`]);
});

describe('on a type', () => {
  it('says that nothing is wrong', async () => {
    const text = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Ann</div>' };
    const answer = await ask('POST', '/Patient/$validate', { resourceType: 'Patient', text, active: true });
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        resourceType: 'OperationOutcome',
        issue: [{ severity: 'information', code: 'informational', diagnostics: 'No issues.' }],
      },
    ]);
  });

  it.each<[string, string, unknown, readonly string[]]>([
    ['a resource alone', '/Patient/$validate', patient('x'), []],
    ['one that is wrong', '/Patient/$validate', patient('x', { gender: 'femal' }), ['code-invalid Patient.gender']],
    ['one of wrong structure', '/Patient/$validate', patient('x', { nmae: 1 }), ['structure Patient.nmae']],
    [
      'a broken invariant',
      '/Patient/$validate',
      patient('x', { contact: [{ gender: 'male' }] }),
      ['invariant Patient.contact[0]'],
    ],
    ['another type', '/Patient/$validate', observation('x', { code: { text: 'x' } }), ['structure Patient']],
    ['no resource type', '/Patient/$validate', {}, ['structure Patient']],
    [
      'Parameters',
      '/Patient/$validate',
      parameters(part('resource', { resource: patient('x', { gender: 'femal' }) })),
      ['code-invalid Patient.gender'],
    ],
    [
      'a number as it was written',
      '/Patient/$validate',
      `{"resourceType":"Parameters","parameter":[{"name":"resource",` +
        `"resource":{"resourceType":"Patient","multipleBirthInteger":1.0}}]}`,
      ['value Patient.multipleBirth'],
    ],
    ['a profile in the URL', `/Patient/$validate?profile=${base}/Patient`, patient('x'), []],
    ['a profile of another type', `/Patient/$validate?profile=${base}/vitalsigns`, patient('x'), ['structure Patient']],
    [
      'a profile in Parameters',
      '/Patient/$validate',
      parameters(part('profile', { valueUri: `${base}/vitalsigns` }), part('resource', { resource: patient('x') })),
      ['structure Patient'],
    ],
    [
      'what a profile marked as incomplete asks',
      '/Patient/$validate',
      patient('x', { meta: { profile: [`${caCore}/patient-ca-core|1.1.0`] }, identifier: [{ value: '1' }] }),
      ['required Patient.identifier[0].system'],
    ],
    [
      'what the profile of the type asks',
      '/Media/$validate',
      { ...media(), subject: undefined },
      ['required Media.subject'],
    ],
    ['what a create alone would find', '/Media/$validate', media({ subject: { reference: 'Patient/none' } }), []],
    ['bytes that are no base64', '/Media/$validate', media({}, { data: 'A*==' }), ['value Media.content.data']],
    [
      'such bytes in Parameters',
      '/Media/$validate',
      parameters(part('resource', { resource: media({}, { data: 'A*==' }) })),
      ['value Media.content.data'],
    ],
    ['a size that is not theirs', '/Media/$validate', media({}, { size: 5 }), ['value Media.content.size']],
    ['a size that is theirs', '/Media/$validate', media({}, { size: 100 }), []],
    ['types of content that a create refuses', '/Media/$validate', media({}, { contentType: 'text/plain' }), []],
    ['a create', '/Media/$validate?mode=create', media(), []],
    [
      'a create in Parameters',
      '/Media/$validate?mode=create',
      parameters(part('resource', { resource: media({}, { size: 100 }) })),
      [],
    ],
    [
      'a create of a wrong size',
      '/Media/$validate?mode=create',
      parameters(part('resource', { resource: media({}, { size: 5 }) })),
      ['value Media.content.size'],
    ],
    [
      'a create with a reference to nothing',
      '/Media/$validate?mode=create',
      media({ subject: { reference: 'Patient/none' } }),
      ['not-found Media.subject.reference'],
    ],
    [
      'a create with bytes of another type',
      '/Media/$validate',
      parameters(
        part('mode', { valueCode: 'create' }),
        part('resource', { resource: media({}, { contentType: 'image/jpeg' }) }),
      ),
      ['business-rule Media.content.data'],
    ],
    [
      'a create in Parameters, whatever their order',
      '/Media/$validate',
      parameters(part('resource', { resource: media({ status: 'no' }) }), part('mode', { valueCode: 'create' })),
      ['code-invalid Media.status'],
    ],
    ['a create that is not offered', '/Patient/$validate?mode=create', patient('x'), ['not-supported']],
  ])('%s', async (_, path, body, expected) => {
    const answer = await ask('POST', path, body);
    expect([answer.status, errorsOf(answer)]).toEqual([200, expected]);
  });

  it('names the profile and the rule that asked', async () => {
    const answer = await ask('POST', '/Patient/$validate', patient('x', { contact: [{ gender: 'male' }] }));
    expect(answer.json.issue.find(({ severity }: { severity: string }) => severity === 'error')).toEqual({
      extension: [{ url: `${base}/operationoutcome-issue-source`, valueString: `${base}/Patient › pat-1` }],
      severity: 'error',
      code: 'invariant',
      diagnostics: expect.stringContaining('(pat-1)'),
      expression: ['Patient.contact[0]'],
    });
  });

  it('reports a claimed profile that is not known, as a warning', async () => {
    const claiming = patient('x', { meta: { profile: ['https://example.org/none'] } });
    const { json } = await ask('POST', '/Patient/$validate', claiming);
    expect(json.issue).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        diagnostics: expect.stringContaining('`https://example.org/none`'),
      }),
    );
  });

  it('lists a hundred findings and says that there are more', async () => {
    const contact = Array.from({ length: 150 }, () => ({ gender: 'male' }));
    const { json } = await ask('POST', '/Patient/$validate', patient('x', { contact }));
    expect(json.issue).toHaveLength(101);
    expect(json.issue[100]).toMatchObject({ severity: 'information', code: 'incomplete' });
  });

  it('keeps nothing', async () => {
    await ask('POST', '/Media/$validate?mode=create', media());
    expect(await server.partition.count('Media')).toBe(1);
  });
});

describe('on an instance', () => {
  it.each<[string, string, string, unknown, readonly string[]]>([
    ['what is here', 'GET', '/Patient/p1/$validate', undefined, []],
    ['what is here and wrong', 'GET', '/Patient/p2/$validate', undefined, ['code-invalid Patient.gender']],
    ['by POST without a body', 'POST', '/Patient/p2/$validate', undefined, ['code-invalid Patient.gender']],
    [
      'by POST with Parameters',
      'POST',
      '/Patient/p2/$validate',
      parameters(part('mode', { valueCode: 'profile' })),
      ['code-invalid Patient.gender'],
    ],
    [
      'against a profile',
      'GET',
      `/Patient/p1/$validate?mode=profile&profile=${base}/vitalsigns`,
      undefined,
      ['structure Patient'],
    ],
    ['what has its bytes kept apart', 'GET', '/Media/m1/$validate', undefined, []],
    [
      'what is sent in its place',
      'POST',
      '/Patient/p1/$validate',
      patient('p1', { gender: 'x' }),
      ['code-invalid Patient.gender'],
    ],
    ['another id', 'POST', '/Patient/p1/$validate', patient('p9'), ['value Patient.id']],
    ['an update that is not offered', 'POST', '/Patient/p1/$validate?mode=update', patient('p1'), ['not-supported']],
    ['a delete that is not offered', 'GET', '/Patient/p2/$validate?mode=delete', undefined, ['not-supported']],
  ])('%s', async (_, method, path, body, expected) => {
    const answer = await ask(method, path, body);
    expect([answer.status, errorsOf(answer)]).toEqual([200, expected]);
  });
});

describe('refuses', () => {
  const resource = part('resource', { resource: patient('x') });
  it.each<[string, string, string, unknown, number, string]>([
    ['no resource', 'POST', '/Patient/$validate', undefined, 400, 'Send the resource'],
    [
      'Parameters without one',
      'POST',
      '/Patient/$validate',
      parameters(part('mode', { valueCode: 'create' })),
      400,
      'Send the resource',
    ],
    ['no JSON', 'POST', '/Patient/$validate', '{', 400, 'not valid FHIR JSON'],
    ['a mode that there is not', 'POST', '/Patient/$validate?mode=updat', patient('x'), 400, 'Did you mean `update`?'],
    ['an update of nothing', 'POST', '/Patient/$validate?mode=update', patient('x'), 400, '`Patient/{id}/$validate`'],
    [
      'an update without a resource',
      'GET',
      '/Patient/p1/$validate?mode=update',
      undefined,
      400,
      'requires the new content of the resource',
    ],
    [
      'a create of what is here',
      'POST',
      '/Patient/p1/$validate?mode=create',
      patient('p1'),
      400,
      '`Patient/$validate`',
    ],
    ['a profile mode with a resource', 'POST', '/Patient/p1/$validate?mode=profile', patient('p1'), 400, 'send none'],
    ['a profile that is not loaded', 'POST', '/Patient/$validate?profile=urn:none', patient('x'), 400, '`urn:none`'],
    ['another parameter', 'POST', '/Patient/$validate?profil=x', patient('x'), 400, 'Did you mean `profile`?'],
    [
      'another part',
      'POST',
      '/Patient/$validate',
      parameters(resource, part('modus', { valueCode: 'create' })),
      400,
      '`modus`',
    ],
    ['a part twice', 'POST', '/Patient/$validate', parameters(resource, resource), 400, 'is repeated'],
    [
      'two modes',
      'POST',
      '/Patient/$validate?mode=create',
      parameters(resource, part('mode', { valueCode: 'update' })),
      400,
      'send it once',
    ],
    [
      'a mode that is no text',
      'POST',
      '/Patient/$validate',
      parameters(resource, part('mode', { valueBoolean: true })),
      400,
      'valueCode',
    ],
    [
      'what is misspelt around it',
      'POST',
      '/Patient/$validate',
      { resourceType: 'Parameters', paramter: [resource] },
      400,
      'Did you mean `parameter`?',
    ],
    ['an instance that is not here', 'GET', '/Patient/none/$validate', undefined, 404, 'none'],
    ['another operation', 'POST', '/Patient/$everything', undefined, 404, '$everything'],
    ['a type that does not declare it', 'POST', '/Observation/$validate', observation('x'), 404, '$validate'],
    ['an instance of such a type', 'GET', '/Observation/o1/$validate', undefined, 404, '$validate'],
    ['the whole system', 'POST', '/$validate', patient('x'), 404, '$validate'],
    ['another method on a type', 'GET', '/Patient/$validate', undefined, 405, 'POST'],
    ['another method on an instance', 'DELETE', '/Patient/p1/$validate', undefined, 405, 'GET, HEAD, POST'],
    ['a path after an id', 'GET', '/Patient/p1/validate', undefined, 404, 'Nothing exists'],
  ])('%s', async (_, method, path, body, status, text) => {
    const answer = await ask(method, path, body);
    expect([answer.status, answer.json.resourceType]).toEqual([status, 'OperationOutcome']);
    expect(answer.json.issue[0].diagnostics).toContain(text);
  });

  it('what is larger than a create takes, beside the attachment', async () => {
    const large = (fields: Record<string, unknown>, content: Record<string, unknown>) =>
      ask('POST', '/Media/$validate', media(fields, content));
    expect((await large({}, { data: Buffer.alloc(2_000_000).toString('base64') })).status).toBe(200);
    expect((await large({ note: [{ text: 'a'.repeat(2_000_000) }] }, {})).status).toBe(413);
  });

  it('another format', async () => {
    const headers = { 'Content-Type': 'text/turtle' };
    expect((await server.ask('POST', '/Patient/$validate', { headers, body: '[]' })).status).toBe(415);
  });
});

it('is in the statement where it is declared', async () => {
  const { json } = await server.get('/metadata');
  const declared = Object.fromEntries(
    json.rest[0].resource.map(({ type, operation }: { type: string; operation?: object[] }) => [type, operation]),
  );
  const operation = [{ name: 'validate', definition: 'http://hl7.org/fhir/OperationDefinition/Resource-validate' }];
  expect(declared).toMatchObject({ Patient: operation, Media: operation, Observation: undefined });
});

describe('MedplumClient', () => {
  const client = (): MedplumClient => new MedplumClient({ baseUrl: server.running.url, fhirUrlPath: 'r4/demo' });

  it('gets the errors', async () => {
    const outcome = await client().validateResource(patient('x', { gender: 'femal' }) as never);
    expect(errorsOf({ json: outcome } as Answer)).toEqual(['code-invalid Patient.gender']);
  });

  it('gets a success if there are none', async () => {
    const outcome = await client().validateResource(patient('x') as never);
    expect(errorsOf({ json: outcome } as Answer)).toEqual([]);
  });
});
