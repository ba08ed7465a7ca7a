import { describe, expect, it } from 'vitest';
import { planEntry } from '../../../src/interaction/bundle/plan.ts';
import type { ContainerType } from '../../../src/interaction/bundle/container-type.ts';

// https://hl7.org/fhir/R4/http.html#transaction

const base = 'http://localhost:8080/r4/demo';
const plan = (entry: Record<string, unknown>, type: ContainerType = 'transaction'): unknown =>
  planEntry(entry, type, base, () => 'new');
const patient = { resourceType: 'Patient', id: 'a' };
const request = (method: string, url: unknown, more: object = {}): object => ({ method, url, ...more });

describe('planEntry', () => {
  it.each<[title: string, entry: Record<string, unknown>, expected: object]>([
    ['PUT', { resource: patient, request: request('PUT', 'Patient/a') }, { kind: 'put', type: 'Patient', id: 'a' }],
    [
      'PUT with the whole address',
      { resource: patient, request: request('PUT', `${base}/Patient/a`) },
      { kind: 'put', type: 'Patient', id: 'a' },
    ],
    [
      'PUT of a resource without id',
      { resource: { resourceType: 'Patient' }, request: request('PUT', 'Patient/b') },
      { kind: 'put', type: 'Patient', id: 'b' },
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
      { kind: 'put', type: 'Patient', id: 'a', precondition: { is: 'version', version: 3 } },
    ],
    [
      'PUT of a version that was never ours',
      { resource: patient, request: request('PUT', 'Patient/a', { ifMatch: 'W/"x"' }) },
      { kind: 'put', type: 'Patient', id: 'a', precondition: { is: 'version', version: -1 } },
    ],
    [
      'PUT where there is none',
      { resource: patient, request: request('PUT', 'Patient/a', { ifNoneMatch: '*' }) },
      { kind: 'put', type: 'Patient', id: 'a', precondition: { is: 'absent' } },
    ],
    [
      'conditional PUT',
      { resource: patient, request: request('PUT', 'Patient?identifier=x|1') },
      { kind: 'update', type: 'Patient', criteria: 'identifier=x|1', id: 'a' },
    ],
    [
      'POST keeps an id',
      { resource: patient, request: request('POST', 'Patient') },
      { kind: 'put', type: 'Patient', id: 'a' },
    ],
    [
      'POST without id',
      { resource: { resourceType: 'Patient' }, request: request('POST', '/Patient') },
      { kind: 'put', type: 'Patient', id: 'new' },
    ],
    [
      'POST of an id that is none',
      { resource: { resourceType: 'Patient', id: 'a b' }, request: request('POST', 'Patient') },
      { kind: 'put', type: 'Patient', id: 'new' },
    ],
    [
      'POST takes the id of a urn:uuid',
      { fullUrl: 'urn:uuid:1f-2', resource: { resourceType: 'Patient' }, request: request('POST', 'Patient') },
      { kind: 'put', type: 'Patient', id: '1f-2' },
    ],
    [
      'conditional POST',
      { resource: patient, request: request('POST', 'Patient', { ifNoneExist: 'identifier=1' }) },
      { kind: 'create', type: 'Patient', criteria: 'identifier=1', id: 'a' },
    ],
    [
      'conditional POST with the type',
      { resource: patient, request: request('POST', 'Patient', { ifNoneExist: 'Patient?identifier=1' }) },
      { kind: 'create', type: 'Patient', criteria: 'identifier=1', id: 'a' },
    ],
    [
      'POST to an id',
      { resource: patient, request: request('POST', 'Patient/a') },
      { kind: 'problem', element: 'request.url', text: 'A POST requires only the type in `request.url`.' },
    ],
    ['DELETE', { request: request('DELETE', 'Patient/a') }, { kind: 'remove', type: 'Patient', id: 'a' }],
    [
      'conditional DELETE',
      { request: request('DELETE', 'Patient?identifier=1') },
      { kind: 'delete', type: 'Patient', criteria: 'identifier=1' },
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
    expect(plan(entry)).toEqual(expected);
  });

  it('puts the resources of other Bundles, whatever their requests say', () => {
    expect(plan({ resource: patient, request: request('DELETE', 'Patient/a') }, 'searchset')).toEqual({
      kind: 'put',
      type: 'Patient',
      id: 'a',
    });
    expect(plan({ fullUrl: 'http://x/1' }, 'collection')).toEqual({
      kind: 'problem',
      element: 'resource',
      text: 'The entry has no resource.',
    });
  });
});
