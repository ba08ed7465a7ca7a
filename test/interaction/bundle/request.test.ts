// https://hl7.org/fhir/R4/http.html#transaction
import { describe, expect, it } from 'vitest';
import { readEntryRequest } from '../../../src/interaction/bundle/request.ts';

const base = 'http://localhost:8080/r4/demo';
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
