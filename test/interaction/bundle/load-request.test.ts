// https://hl7.org/fhir/R4/http.html#transaction
import { describe, expect, it } from 'vitest';
import { readEntryRequest, readLoadRequest } from '../../../src/interaction/bundle/load-request.ts';
import type { ContainerType } from '../../../src/interaction/bundle/head.ts';

const base = 'http://localhost:8080/r4/demo';
const read = (entry: Record<string, unknown>, type: ContainerType = 'transaction'): unknown =>
  readLoadRequest(entry, type, base, () => 'new');
const patient = { resourceType: 'Patient', id: 'a' };
const common = { resourceType: 'Patient', parameters: [], headers: {}, base };
const put = (id: string, more: object = {}): object => ({ ...common, interaction: 'update', id, newId: id, ...more });
const identified = { ...common, parameters: [['identifier', 'x|1']] };
const request = (method: string, url: unknown, more: object = {}): object => ({ method, url, ...more });

describe('readLoadRequest', () => {
  it.each<[title: string, entry: Record<string, unknown>, expected: object]>([
    ['PUT', { resource: patient, request: request('PUT', 'Patient/a') }, put('a')],
    ['PUT with the whole address', { resource: patient, request: request('PUT', `${base}/Patient/a`) }, put('a')],
    [
      'PUT of a resource without id',
      { resource: { resourceType: 'Patient' }, request: request('PUT', 'Patient/b') },
      put('b'),
    ],
    [
      'PUT of another id',
      { resource: patient, request: request('PUT', 'Patient/b') },
      { kind: 'problem', element: 'resource.id', text: 'The id of the resource differs from `b` in `request.url`.' },
    ],
    [
      'PUT of another type',
      { resource: patient, request: request('PUT', 'Observation/a') },
      {
        kind: 'problem',
        element: 'request.url',
        text: '`request.url` names `Observation`, but the resource has another type.',
      },
    ],
    [
      'PUT without resource',
      { request: request('PUT', 'Patient/a') },
      { kind: 'problem', element: 'resource', text: 'The entry has no resource.' },
    ],
    [
      'PUT without id',
      { resource: patient, request: request('PUT', 'Patient') },
      { kind: 'problem', element: 'request.url', text: 'A PUT requires `Type/id` or `Type?criteria`.' },
    ],
    [
      'PUT of a version',
      { resource: patient, request: request('PUT', 'Patient/a', { ifMatch: 'W/"3"' }) },
      put('a', { precondition: { is: 'version', version: 3 } }),
    ],
    [
      'PUT of a version that was never ours',
      { resource: patient, request: request('PUT', 'Patient/a', { ifMatch: 'W/"x"' }) },
      put('a', { precondition: { is: 'version', version: -1 } }),
    ],
    [
      'PUT where there is none',
      { resource: patient, request: request('PUT', 'Patient/a', { ifNoneMatch: '*' }) },
      put('a', { precondition: { is: 'absent' } }),
    ],
    [
      'conditional PUT',
      { resource: patient, request: request('PUT', 'Patient?identifier=x|1') },
      { ...identified, interaction: 'update', newId: 'a' },
    ],
    ['POST keeps an id', { resource: patient, request: request('POST', 'Patient') }, put('a')],
    ['POST without id', { resource: { resourceType: 'Patient' }, request: request('POST', '/Patient') }, put('new')],
    [
      'POST of an id that is none',
      { resource: { resourceType: 'Patient', id: 'a b' }, request: request('POST', 'Patient') },
      put('new'),
    ],
    [
      'POST takes the id of a urn:uuid',
      { fullUrl: 'urn:uuid:1f-2', resource: { resourceType: 'Patient' }, request: request('POST', 'Patient') },
      put('1f-2'),
    ],
    [
      'conditional POST',
      { resource: patient, request: request('POST', 'Patient', { ifNoneExist: 'identifier=x|1' }) },
      { ...identified, interaction: 'create', newId: 'a', headers: { 'if-none-exist': 'identifier=x|1' } },
    ],
    [
      'conditional POST with the type',
      { resource: patient, request: request('POST', 'Patient', { ifNoneExist: 'Patient?identifier=x|1' }) },
      { ...identified, interaction: 'create', newId: 'a', headers: { 'if-none-exist': 'Patient?identifier=x|1' } },
    ],
    [
      'POST to an id',
      { resource: patient, request: request('POST', 'Patient/a') },
      { kind: 'problem', element: 'request.url', text: 'A POST requires only the type in `request.url`.' },
    ],
    ['DELETE', { request: request('DELETE', 'Patient/a') }, put('a', { interaction: 'delete' })],
    [
      'conditional DELETE',
      { request: request('DELETE', 'Patient?identifier=x|1') },
      { ...identified, interaction: 'delete' },
    ],
    [
      'DELETE of a type',
      { request: request('DELETE', 'Patient') },
      { kind: 'problem', element: 'request.url', text: 'A DELETE requires `Type/id` or `Type?criteria`.' },
    ],
    [
      'GET',
      { request: request('GET', 'Patient/a') },
      { kind: 'problem', element: 'request.method', text: 'Only PUT, POST and DELETE can be loaded.' },
    ],
    [
      'another server',
      { resource: patient, request: request('PUT', 'http://elsewhere/Patient/a') },
      {
        kind: 'problem',
        element: 'request.url',
        text: '`request.url` must be `Type`, `Type/id` or `Type?criteria`, not `http://elsewhere/Patient/a`.',
      },
    ],
    [
      'no request',
      { resource: patient },
      { kind: 'problem', element: 'request', text: 'An entry of a transaction must have a `request`.' },
    ],
  ])('%s', (_title, entry, expected) => {
    expect(read(entry)).toEqual(expected);
  });

  it('puts the resources of other Bundles, whatever their requests say', () => {
    expect(read({ resource: patient, request: request('DELETE', 'Patient/a') }, 'searchset')).toEqual(put('a'));
    expect(read({ fullUrl: 'http://x/1' }, 'collection')).toEqual({
      kind: 'problem',
      element: 'resource',
      text: 'The entry has no resource.',
    });
  });
});

const resource = { resourceType: 'Patient', id: '1' };

describe('the request of an entry of a Bundle', () => {
  it.each([
    ['a POST', { method: 'POST', url: 'Patient' }, { interaction: 'create', resourceType: 'Patient', headers: {} }],
    [
      'a POST with a condition',
      { method: 'POST', url: 'Patient', ifNoneExist: 'identifier=x|1' },
      { interaction: 'create', resourceType: 'Patient', headers: { 'if-none-exist': 'identifier=x|1' } },
    ],
    [
      'a PUT of a version',
      { method: 'PUT', url: `${base}/Patient/1`, ifMatch: 'W/"2"' },
      { interaction: 'update', resourceType: 'Patient', id: '1', headers: { 'if-match': 'W/"2"' } },
    ],
    [
      'a conditional PUT',
      { method: 'PUT', url: '/Patient?identifier=x|1' },
      { interaction: 'update', resourceType: 'Patient', criteria: 'identifier=x|1', headers: {} },
    ],
    [
      'a DELETE',
      { method: 'DELETE', url: 'Patient/1', ifNoneMatch: '*' },
      { interaction: 'delete', resourceType: 'Patient', id: '1', headers: { 'if-none-match': '*' } },
    ],
  ])('is a request of its own: %s', (_, request, expected) => {
    expect(readEntryRequest({ request, resource }, 'transaction', base)).toEqual(expected);
  });

  it.each([
    ['ETag without quotes', { method: 'PUT', url: 'Patient/1', ifMatch: '2' }, 'request.ifMatch'],
    ['ETag and more', { method: 'PUT', url: 'Patient/1', ifMatch: 'W/"2"; x' }, 'request.ifMatch'],
    ['no request', undefined, 'request'],
    ['a URL elsewhere', { method: 'PUT', url: 'http://example.org/Patient/1' }, 'request.url'],
    ['a POST to an id', { method: 'POST', url: 'Patient/1' }, 'request.url'],
    ['the resource of another type', { method: 'PUT', url: 'Media/1' }, 'request.url'],
    ['the resource of another id', { method: 'PUT', url: 'Patient/2' }, 'resource.id'],
    ['a GET', { method: 'GET', url: 'Patient/1' }, 'request.method'],
  ])('is a problem of the element that is to blame: %s', (_, request, element) => {
    expect(readEntryRequest({ request, resource }, 'batch', base)).toMatchObject({ kind: 'problem', element });
  });
});
