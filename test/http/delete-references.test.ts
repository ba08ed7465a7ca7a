// References that no search parameter indexes count too when a record is deleted, and for `$everything`.
// https://hl7.org/fhir/R4/http.html#delete
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { r4Of } from '../support/r4-of.ts';
import { put, serve, type Served } from '../support/serve.ts';

const reference = (text: string): object => ({ reference: text });
const report = (id: string, fields: object): object => ({
  resourceType: 'DiagnosticReport',
  id,
  status: 'final',
  code: { text: id },
  ...fields,
});

let server: Served;
beforeAll(async () => {
  const types = ['Binary', 'DiagnosticReport', 'DocumentReference', 'ImagingStudy', 'Organization', 'Patient'];
  server = await serve([], ['--capability', r4Of([...types, 'Practitioner'])]);
}, 60_000);
afterAll(() => server.close());

const remove = async (path: string): Promise<number> => (await server.ask('DELETE', `/${path}`)).status;
const organization = (id: string): object => ({ resourceType: 'Organization', id, name: id });

describe('a record is not deleted while a record refers to it', () => {
  it.each<[string, object, string, object]>([
    [
      'in an element without a search parameter',
      { resourceType: 'ImagingStudy', id: 'i', status: 'available', subject: { display: 'x' } },
      'DiagnosticReport',
      { imagingStudy: [reference('ImagingStudy/i')] },
    ],
    [
      'by its absolute URL',
      { resourceType: 'ImagingStudy', id: 'j', status: 'available', subject: { display: 'x' } },
      'DiagnosticReport',
      { imagingStudy: [reference('{base}/ImagingStudy/j')] },
    ],
    [
      'by a version',
      { resourceType: 'ImagingStudy', id: 'k', status: 'available', subject: { display: 'x' } },
      'DiagnosticReport',
      { imagingStudy: [reference('ImagingStudy/k/_history/1')] },
    ],
    [
      'in an identifier',
      organization('assigner'),
      'DiagnosticReport',
      { identifier: [{ value: '1', assigner: reference('Organization/assigner') }] },
    ],
    [
      'in the identifier of a reference',
      organization('within'),
      'DiagnosticReport',
      { performer: [{ identifier: { value: '1', assigner: reference('Organization/within') } }] },
    ],
    [
      'in an extension',
      organization('extended'),
      'DiagnosticReport',
      { extension: [{ url: 'http://example.org/x', valueReference: reference('Organization/extended') }] },
    ],
    [
      'in the extension of a primitive',
      organization('primitive'),
      'DiagnosticReport',
      {
        _status: { extension: [{ url: 'http://example.org/x', valueReference: reference('Organization/primitive') }] },
      },
    ],
    [
      'in a contained resource',
      organization('inner'),
      'DiagnosticReport',
      {
        subject: reference('#p'),
        contained: [{ resourceType: 'Patient', id: 'p', managingOrganization: reference('Organization/inner') }],
      },
    ],
    [
      'in the URL of an attachment',
      { resourceType: 'Binary', id: 'bytes', contentType: 'text/plain', data: 'YQ==' },
      'DiagnosticReport',
      { presentedForm: [{ contentType: 'text/plain', url: 'Binary/bytes' }] },
    ],
    [
      'in the absolute URL of an attachment',
      { resourceType: 'Binary', id: 'more', contentType: 'text/plain', data: 'YQ==' },
      'DiagnosticReport',
      { presentedForm: [{ contentType: 'text/plain', url: '{base}/Binary/more' }] },
    ],
    [
      'in an element with a search parameter',
      organization('performer'),
      'DiagnosticReport',
      { performer: [reference('Organization/performer')] },
    ],
  ])('%s', async (title, target, _, fields) => {
    const { resourceType, id } = target as { resourceType: string; id: string };
    const referrer = `from-${id}`;
    await put(server.partition, [target]);
    await put(server.partition, [
      JSON.parse(JSON.stringify(report(referrer, fields)).replaceAll('{base}', server.base)) as object,
    ]);
    const refused = await server.ask('DELETE', `/${resourceType}/${id}`);
    expect([title, refused.status, refused.json?.issue?.[1]?.diagnostics]).toEqual([
      title,
      409,
      `\`DiagnosticReport/${referrer}\` refers to it.`,
    ]);
    expect(await remove(`DiagnosticReport/${referrer}`)).toBe(204);
    expect(await remove(`${resourceType}/${id}`)).toBe(204);
  });

  it('in one transaction both are deleted', async () => {
    await put(server.partition, [organization('both'), report('both', { extension: [extended('both')] })]);
    const entry = ['Organization/both', 'DiagnosticReport/both'].map(url => ({ request: { method: 'DELETE', url } }));
    const answer = await server.ask('POST', '', {
      headers: { 'Content-Type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }),
    });
    expect(answer.status).toBe(200);
  });

  it('in one transaction with a new reference it is not', async () => {
    await put(server.partition, [organization('new')]);
    const entry = [
      { request: { method: 'DELETE', url: 'Organization/new' } },
      {
        resource: report('new', { extension: [extended('new')] }),
        request: { method: 'PUT', url: 'DiagnosticReport/new' },
      },
    ];
    const answer = await server.ask('POST', '', {
      headers: { 'Content-Type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }),
    });
    expect(answer.status).toBe(409);
  });
});

const extended = (id: string): object => ({
  url: 'http://example.org/x',
  valueReference: reference(`Organization/${id}`),
});

describe('`$everything`', () => {
  it('has what such references and the URLs of attachments name', async () => {
    await put(server.partition, [
      { resourceType: 'Patient', id: 'p', identifier: [{ value: '1', assigner: reference('Organization/o') }] },
      organization('o'),
      { resourceType: 'ImagingStudy', id: 's', status: 'available', subject: { display: 'x' } },
      { resourceType: 'Binary', id: 'b', contentType: 'text/plain', data: 'YQ==' },
      report('r', {
        subject: reference('Patient/p'),
        imagingStudy: [reference('ImagingStudy/s')],
        presentedForm: [{ contentType: 'text/plain', url: 'Binary/b' }],
      }),
    ]);
    const { json } = await server.get('/Patient/p/$everything');
    const names: string[] = json.entry.map(({ resource }: { resource: { resourceType: string; id: string } }) =>
      [resource.resourceType, resource.id].join('/'),
    );
    expect(names.toSorted()).toEqual([
      'Binary/b',
      'DiagnosticReport/r',
      'ImagingStudy/s',
      'Organization/o',
      'Patient/p',
    ]);
  });
});
