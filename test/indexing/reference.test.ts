// https://hl7.org/fhir/R4/search.html#reference, https://hl7.org/fhir/R4/search.html#uri,
// https://hl7.org/fhir/R4/search.html#special
import { describe, expect, it } from 'vitest';
import { read } from './read.ts';

const observation = (subject: unknown) => ({
  resourceType: 'Observation',
  subject,
  contained: [{ resourceType: 'Patient', id: 'p' }],
});
const reference = (part: object) => ({
  kind: 'reference',
  type: undefined,
  id: undefined,
  url: undefined,
  version: undefined,
  ...part,
});

describe('references', () => {
  it.each([
    ['type and id', { reference: 'Patient/1' }, [{ type: 'Patient', id: '1' }]],
    ['without the version', { reference: 'Patient/1/_history/3' }, [{ type: 'Patient', id: '1' }]],
    [
      'by URL, whichever server that is',
      { reference: 'https://records.example/r4/demo/Patient/1' },
      [{ url: 'https://records.example/r4/demo/Patient/1' }],
    ],
    [
      'by URL to another server, without the version',
      { reference: 'http://x.org/Patient/1/_history/2' },
      [{ url: 'http://x.org/Patient/1' }],
    ],
    [
      'by urn',
      { reference: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520' },
      [{ url: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520' }],
    ],
    ['of any type that the element allows, or not', { reference: 'Medication/1' }, [{ type: 'Medication', id: '1' }]],
    ['to a contained resource', { reference: '#p' }, []],
    ['by identifier alone', { type: 'Patient', identifier: { value: '1' } }, []],
    ['by display alone', { display: 'Ann' }, []],
    ['empty', { reference: '' }, []],
    ['that are no text', { reference: 4 }, []],
  ])('%s', (_why, subject, expected) => {
    expect(read('reference', 'Observation.subject', observation(subject))).toEqual(expected.map(reference));
  });

  it('to a patient only, where the expression says so', () => {
    const expression = 'Observation.subject.where(resolve() is Patient)';
    expect(read('reference', expression, observation({ reference: 'Patient/1' }))).toHaveLength(1);
    expect(read('reference', expression, observation({ reference: 'Group/1' }))).toEqual([]);
    expect(read('reference', expression, observation({ reference: 'urn:uuid:1', type: 'Patient' }))).toHaveLength(1);
  });

  it('by canonical have URL and version, an empty one without', () => {
    const measure = { resourceType: 'Measure', library: ['http://x.org/Library/a|1.0#part', 'http://x.org/Library/b'] };
    expect(read('reference', 'Measure.library', measure)).toEqual([
      reference({ url: 'http://x.org/Library/a', version: '1.0' }),
      reference({ url: 'http://x.org/Library/b', version: '' }),
    ]);
  });

  it('by canonical are kept as they are written, a fragment alone so that it is present', () => {
    const answers = (questionnaire: string) => ({ resourceType: 'QuestionnaireResponse', questionnaire });
    const expression = 'QuestionnaireResponse.questionnaire';
    expect(read('reference', expression, answers('Questionnaire/gcs|1.0'))).toEqual([
      reference({ url: 'Questionnaire/gcs', version: '1.0' }),
    ]);
    expect(read('reference', expression, answers('https://records.example/r4/demo/Questionnaire/gcs'))).toEqual([
      reference({ url: 'https://records.example/r4/demo/Questionnaire/gcs', version: '' }),
    ]);
    expect(read('reference', expression, answers('#gcs'))).toEqual([reference({ url: '#gcs' })]);
    expect(read('reference', expression, answers('#'))).toEqual([]);
  });

  it('to a resource within the resource name that', () => {
    const bundle = {
      resourceType: 'Bundle',
      entry: [
        { resource: { resourceType: 'Composition', id: 'c' } },
        { resource: { resourceType: 'Patient', id: 'p' } },
      ],
    };
    expect(read('reference', 'Bundle.entry[0].resource', bundle)).toEqual([
      reference({ type: 'Composition', id: 'c' }),
    ]);
  });
});

describe('uris', () => {
  it('are kept as they are, a canonical with a version also without it', () => {
    const valueSet = {
      resourceType: 'ValueSet',
      url: 'http://X.org/ValueSet/a',
      compose: { include: [{ valueSet: ['http://x.org/b|1'] }] },
    };
    expect(read('uri', 'ValueSet.url', valueSet)).toEqual([{ kind: 'uri', uri: 'http://X.org/ValueSet/a' }]);
    expect(read('uri', 'ValueSet.compose.include.valueSet', valueSet)).toEqual([
      { kind: 'uri', uri: 'http://x.org/b|1' },
      { kind: 'uri', uri: 'http://x.org/b' },
    ]);
    expect(read('uri', 'ValueSet.url', { ...valueSet, version: '4.0.1' })).toEqual([
      { kind: 'uri', uri: 'http://X.org/ValueSet/a' },
      { kind: 'uri', uri: 'http://X.org/ValueSet/a|4.0.1' },
    ]);
    expect(read('uri', 'ValueSet.name', { ...valueSet, name: 'a' })).toEqual([]);
  });
});

describe('a special parameter', () => {
  it('on a position has latitude and longitude', () => {
    const location = { resourceType: 'Location', position: { latitude: 43.65, longitude: -79.38 } };
    expect(read('special', 'Location.position', location)).toEqual([
      {
        kind: 'composite',
        of: [[{ kind: 'number', low: 43.65, high: 43.65 }], [{ kind: 'number', low: -79.38, high: -79.38 }]],
      },
    ]);
    expect(read('special', 'Location.position', { ...location, position: { latitude: 1 } })).toEqual([]);
    expect(read('special', 'Location.address', { ...location, address: { city: 'x' } })).toEqual([]);
  });
});
