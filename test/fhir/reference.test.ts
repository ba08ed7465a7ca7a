// https://hl7.org/fhir/R4/references.html#literal
import { describe, expect, it } from 'vitest';
import { parseReference } from '../../src/fhir/reference.ts';

describe('parseReference', () => {
  it.each([
    ['Patient/1', { kind: 'relative', type: 'Patient', id: '1' }],
    ['Patient/1/_history/2', { kind: 'relative', type: 'Patient', id: '1', version: '2' }],
    [
      'https://example.org/fhir/Patient/a-1.b',
      {
        kind: 'absolute',
        url: 'https://example.org/fhir/Patient/a-1.b',
        base: 'https://example.org/fhir',
        type: 'Patient',
        id: 'a-1.b',
      },
    ],
    [
      'http://localhost:8080/r4/demo/Patient/1/_history/2',
      {
        kind: 'absolute',
        url: 'http://localhost:8080/r4/demo/Patient/1',
        base: 'http://localhost:8080/r4/demo',
        type: 'Patient',
        id: '1',
        version: '2',
      },
    ],
    ['#p1', { kind: 'contained', id: 'p1' }],
    [
      'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0',
      { kind: 'url', url: 'urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0' },
    ],
    ['http://hl7.org/fhir/ValueSet/a|1', { kind: 'url', url: 'http://hl7.org/fhir/ValueSet/a|1' }],
    ['23', { kind: 'url', url: '23' }],
    ['Patient/', { kind: 'url', url: 'Patient/' }],
    ['/Patient/1', { kind: 'url', url: '/Patient/1' }],
    ['patient/1', { kind: 'url', url: 'patient/1' }],
    ['Patient/a_b', { kind: 'url', url: 'Patient/a_b' }],
    ['Patient/1/_history/', { kind: 'url', url: 'Patient/1/_history/' }],
    ['_history/2', { kind: 'url', url: '_history/2' }],
    ['../Patient/1', { kind: 'url', url: '../Patient/1' }],
  ])('reads `%s`', (text, expected) => {
    expect(parseReference(text)).toEqual(expected);
  });

  it.each(['', ' ', 'Patient/1 ', 'Pat ient/1'])('does not read `%s`', text => {
    expect(parseReference(text)).toBeUndefined();
  });
});
