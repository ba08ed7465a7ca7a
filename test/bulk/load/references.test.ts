import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patient, observation, bundle, put } from '../support/texts.ts';
import { type Target, counts, none, openTarget, stored } from '../support/target.ts';

// https://hl7.org/fhir/R4/bundle.html#references: references in a Bundle lead to the records of its entries.

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

describe('references in a Bundle', () => {
  const named = (urn: string, resource: string, type: string): string =>
    `{"fullUrl":"${urn}","resource":${resource},"request":{"method":"POST","url":"${type}"}}`;
  const subject = (reference: string): string => `,"subject":{"reference":"${reference}"}`;

  it.each(['transaction', 'batch', 'collection'])('by urn:uuid lead to what the entry became: %s', async type => {
    const path = target.file(
      'a.json',
      bundle(
        type,
        named(
          'urn:uuid:11111111-1111-1111-1111-111111111111',
          observation(
            'o',
            `${subject('urn:uuid:22222222-2222-2222-2222-222222222222')},"valueQuantity":{"value":1.10}`,
          ),
          'Observation',
        ),
        named('urn:uuid:22222222-2222-2222-2222-222222222222', patient(undefined), 'Patient'),
        named(
          'urn:uuid:33333333-3333-3333-3333-333333333333',
          observation('o3', subject('urn:uuid:44444444-4444-4444-4444-444444444444')),
          'Observation',
        ),
        named('urn:uuid:44444444-4444-4444-4444-444444444444', patient('own'), 'Patient'),
      ),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 4, created: 4 });
    expect(await stored(target, 'Observation', 'o')).toBe(
      `{"resourceType":"Observation","id":"o","meta":{},"status":"final","code":{"text":"x"},` +
        `"subject":{"reference":"Patient/22222222-2222-2222-2222-222222222222"},"valueQuantity":{"value":1.10}}`,
    );
    expect(await stored(target, 'Observation', 'o3')).toContain('"reference":"Patient/own"');
    expect(await target.text('Patient', '22222222-2222-2222-2222-222222222222')).toBeDefined();
  });

  it('relative ones follow a fullUrl whose entry got another id', async () => {
    const path = target.file(
      'a.json',
      bundle(
        'transaction',
        `{"fullUrl":"http://x/fhir/Observation/1","resource":${observation('o', subject('Patient/9'))},` +
          '"request":{"method":"PUT","url":"Observation/o"}}',
        `{"fullUrl":"http://x/fhir/Patient/9","resource":${patient(undefined)},"request":{"method":"PUT",` +
          '"url":"Patient/ten"}}',
      ),
    );
    await target.load([path]);
    expect(await stored(target, 'Observation', 'o')).toContain('"reference":"Patient/ten"');
  });

  const known = (id: string, number: string): string =>
    patient(id, `,"identifier":[{"system":"urn:oid:1.2","value":"${number}"}]`);

  it.each(['transaction', 'batch'])('conditional ones are found in the Bundle, then in the store: %s', async type => {
    await target.load([target.file('a.ndjson', `${known('stored', '1')}\n${known('both', '2')}`)]);
    const path = target.file(
      'b.json',
      bundle(
        type,
        put(observation('o1', subject('Patient?identifier=urn:oid:1.2|1')), 'Observation/o1'),
        put(observation('o3', subject('Patient?identifier=urn%3Aoid%3A1.2%7C3')), 'Observation/o3'),
        put(
          observation('o4', subject('http://localhost:8080/r4/demo/Patient?identifier=urn:oid:1.2|1')),
          'Observation/o4',
        ),
        put(known('later', '3'), 'Patient/later'),
      ),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 4, created: 4 });
    expect(await stored(target, 'Observation', 'o1')).toContain('"reference":"Patient/stored"');
    expect(await stored(target, 'Observation', 'o3')).toContain('"reference":"Patient/later"');
    expect(await stored(target, 'Observation', 'o4')).toContain('"reference":"Patient/stored"');
  });

  it('conditional ones that find several or nothing reject the entry, in a batch that one alone', async () => {
    await target.load([target.file('a.ndjson', `${known('a', '1')}\n${known('b', '1')}`)]);
    const path = target.file(
      'b.json',
      bundle(
        'batch',
        put(observation('o1', subject('Patient?identifier=urn:oid:1.2|1')), 'Observation/o1'),
        put(observation('o2', subject('Patient?identifier=none')), 'Observation/o2'),
        put(observation('o3', subject('Patient?')), 'Observation/o3'),
        put(observation('o4', subject('Practitioner?identifier=1')), 'Observation/o4'),
      ),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 4, created: 1, rejected: 3 });
    expect(
      target
        .rejects()
        .map(({ at, outcome }) => `${at}: ${outcome.issue[0]?.diagnostics}`)
        .sort(),
    ).toEqual([
      'entry 1: The reference `Patient?identifier=urn:oid:1.2|1` matches more than one resource.',
      'entry 2: The reference `Patient?identifier=none` finds nothing.',
      'entry 3: The reference `Patient?` matches more than one resource.',
    ]);
    // Other practitioners than those who sign in are kept elsewhere: the reference stays as it was sent.
    expect(await stored(target, 'Observation', 'o4')).toContain('"reference":"Practitioner?identifier=1"');
  });

  it.each(['transaction', 'batch'])('follow conditional creates and updates: %s', async type => {
    await target.load([target.file('a.ndjson', `${known('first', '1')}\n${known('second', '2')}`)]);
    const create = (urn: string, number: string): string =>
      `{"fullUrl":"${urn}","resource":${known('new', number)},"request":{"method":"POST",` +
      `"url":"Patient","ifNoneExist":"identifier=urn:oid:1.2|${number}"}}`;
    const update = (urn: string, number: string): string =>
      `{"fullUrl":"${urn}","resource":` +
      patient(undefined, `,"identifier":[{"system":"urn:oid:1.2","value":"${number}"}],"active":true`) +
      `,"request":{"method":"PUT","url":"Patient?identifier=urn:oid:1.2|${number}"}}`;
    const see = (id: string, urn: string): string => put(observation(id, subject(urn)), `Observation/${id}`);
    const path = target.file(
      'b.json',
      bundle(
        type,
        see('o1', 'urn:uuid:1'),
        see('o2', 'urn:uuid:2'),
        see('o3', 'urn:uuid:3'),
        create('urn:uuid:1', '1'),
        update('urn:uuid:2', '2'),
        create('urn:uuid:3', '3'),
        '{"request":{"method":"DELETE","url":"Patient?identifier=urn:oid:1.2|99"}}',
      ),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 7, created: 4, updated: 1, unchanged: 2 });
    expect(await stored(target, 'Observation', 'o1')).toContain('"reference":"Patient/first"');
    expect(await stored(target, 'Observation', 'o2')).toContain('"reference":"Patient/second"');
    expect(await stored(target, 'Observation', 'o3')).toContain('"reference":"Patient/new"');
    expect(await target.text('Patient', 'second')).toContain('"active":true');
  });
});
