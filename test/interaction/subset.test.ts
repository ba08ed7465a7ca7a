// https://hl7.org/fhir/R4/search.html#summary
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subset } from '../../src/interaction/subset.ts';
import type { Subset } from '../../src/interaction/subset.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';

const definitions = readTypeDefinitions();
const tag = '{"system":"http://terminology.hl7.org/CodeSystem/v3-ObservationValue","code":"SUBSETTED"}';

function part(text: string, wanted: Partial<Subset>): string {
  const type = definitions.get(JSON.parse(text).resourceType);
  if (type === undefined) throw new Error('unknown type');
  return subset(text, { summary: 'false', elements: undefined, ...wanted }, type, definitions);
}

const observation =
  '{"resourceType":"Observation","id":"o1","meta":{"versionId":"2",' +
  '"lastUpdated":"2026-01-02T03:04:05.006Z","profile":["http://p"]},' +
  '"text":{"status":"generated","div":"<div>1.10</div>"},"status":"final",' +
  '"code":{"coding":[{"system":"http://loinc.org","code":"8302-2"}],"text":"Height"},' +
  '"subject":{"reference":"Patient/p1"},"valueQuantity":{"value":1.10,"unit":"m"},"note":[{"text":"a ' +
  '\\"quoted\\" note, with } and ]"}],' +
  '"referenceRange":[{"low":{"value":1e2}}]}';
const head =
  '{"resourceType":"Observation","id":"o1","meta":{"versionId":"2",' +
  '"lastUpdated":"2026-01-02T03:04:05.006Z","profile":["http://p"],"tag":[' +
  `${tag}]}`;
const code = '"code":{"coding":[{"system":"http://loinc.org","code":"8302-2"}],"text":"Height"}';

describe('_summary', () => {
  it('false gives the text itself', () => {
    expect(part(observation, {})).toBe(observation);
  });

  it('true keeps summary elements, tags the rest as missing, and numbers keep their text', () => {
    expect(part(observation, { summary: 'true' })).toBe(
      `${head},"status":"final",${code},"subject":{"reference":"Patient/p1"},` +
        '"valueQuantity":{"value":1.10,"unit":"m"}}',
    );
  });

  it('text keeps narrative, id, meta and mandatory elements', () => {
    expect(part(observation, { summary: 'text' })).toBe(
      `${head},"text":{"status":"generated","div":"<div>1.10</div>"},"status":"final",${code}}`,
    );
  });

  it('data leaves out the narrative alone', () => {
    const rest = observation.slice(observation.indexOf('"status":"final"'));
    expect(part(observation, { summary: 'data' })).toBe(`${head},${rest}`);
  });

  it('true looks into data types and backbone elements', () => {
    const patient =
      '{"resourceType":"Patient","id":"p","meta":{"versionId":"1"},"identifier":[{"use":"official",' +
      '"value":"1","assigner":{"display":"A"},"extension":[{"url":"http://x","valueCode":"y"}]}],' +
      '"contact":[{"name":{"family":"F"}}],"link":[{"id":"l","other":{"reference":"Patient/q"},' +
      '"type":"seealso"}],"maritalStatus":{"text":"M"}}';
    expect(part(patient, { summary: 'true' })).toBe(
      `{"resourceType":"Patient","id":"p","meta":{"versionId":"1","tag":[${tag}]},` +
        '"identifier":[{"use":"official","value":"1","assigner":{"display":"A"}}],' +
        '"link":[{"other":{"reference":"Patient/q"},"type":"seealso"}]}',
    );
  });

  it('true keeps a mandatory element whole that has nothing but an extension', () => {
    const absent =
      '{"resourceType":"Observation","id":"o","meta":{"versionId":"1"},' +
      '"_status":{"extension":[{"url":"u","valueCode":"unknown"}]},"code":{"extension":[{"url":"u",' +
      '"valueCode":"unknown"}]},"subject":{"extension":[{"url":"u","valueCode":"unknown"}]}}';
    expect(part(absent, { summary: 'true' })).toBe(
      `{"resourceType":"Observation","id":"o","meta":{"versionId":"1","tag":[${tag}]},` +
        '"_status":{"extension":[{"url":"u","valueCode":"unknown"}]},"code":{"extension":[{"url":"u","valueCode":"unknown"}]}}',
    );
  });
});

describe('_elements', () => {
  it('keeps what is named, mandatory or modifying', () => {
    expect(part(observation, { elements: ['subject', 'value'] })).toBe(
      `${head},"status":"final",${code},"subject":{"reference":"Patient/p1"},` +
        '"valueQuantity":{"value":1.10,"unit":"m"}}',
    );
    const patient =
      '{"resourceType":"Patient","id":"p","meta":{"versionId":"1"},"active":false,' +
      '"name":[{"family":"A"}],"birthDate":"1980","_birthDate":{"id":"b"},"deceasedBoolean":true}';
    expect(part(patient, { elements: ['birthDate'] })).toBe(
      `{"resourceType":"Patient","id":"p","meta":{"versionId":"1","tag":[${tag}]},"active":false,` +
        '"birthDate":"1980","_birthDate":{"id":"b"},"deceasedBoolean":true}',
    );
  });

  it('goes together with _summary', () => {
    expect(part(observation, { summary: 'data', elements: ['text', 'subject'] })).toBe(
      `${head},"status":"final",${code},"subject":{"reference":"Patient/p1"}}`,
    );
  });
});

describe('the tag SUBSETTED', () => {
  it.each([
    ['{"versionId":"1"}', `{"versionId":"1","tag":[${tag}]}`],
    ['{}', `{"tag":[${tag}]}`],
    ['{"tag":[],"source":"s"}', `{"source":"s","tag":[${tag}]}`],
    ['{"tag":[{"code":"a"}]}', `{"tag":[{"code":"a"},${tag}]}`],
    [`{"tag":[${tag}],"versionId":"1"}`, `{"tag":[${tag}],"versionId":"1"}`],
  ])('is added to meta %s once', (meta, expected) => {
    const text = `{"resourceType":"Patient","id":"p","meta":${meta}}`;
    expect(part(text, { summary: 'true' })).toBe(`{"resourceType":"Patient","id":"p","meta":${expected}}`);
  });

  it('makes a meta where there is none', () => {
    expect(part('{"resourceType":"CapabilityStatement","status":"active"}', { elements: ['url'] })).toBe(
      `{"resourceType":"CapabilityStatement","meta":{"tag":[${tag}]},"status":"active"}`,
    );
  });
});

it('any subset of valid JSON is valid JSON that holds nothing new', () => {
  const value = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  );
  const codings = fc.array(
    fc.record({ system: fc.string(), code: fc.string(), display: fc.string() }, { requiredKeys: ['system'] }),
    { minLength: 1 },
  );
  const resource = fc.record(
    {
      status: fc.constant('final'),
      code: fc.record({ coding: codings, text: fc.string() }, { requiredKeys: [] }),
      valueQuantity: fc.record({ value, unit: fc.string(), extension: codings }, { requiredKeys: [] }),
      note: fc.array(fc.record({ text: fc.string({ unit: 'binary' }) }), { minLength: 1 }),
      text: fc.record({ div: fc.string() }),
    },
    { requiredKeys: ['status'] },
  );
  const summary = fc.constantFrom('true', 'text', 'data');
  fc.assert(
    fc.property(resource, summary, (resource, summary) => {
      const whole = { resourceType: 'Observation', id: 'x', meta: { versionId: '1' }, ...resource };
      const found = JSON.parse(part(JSON.stringify(whole), { summary }));
      delete found.meta.tag;
      expect(JSON.parse(JSON.stringify(whole))).toMatchObject(found);
    }),
  );
});
