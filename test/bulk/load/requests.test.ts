import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patient, observation, bundle, put, remove } from '../support/texts.ts';
import { type Target, counts, none, openTarget } from '../support/target.ts';

// https://hl7.org/fhir/R4/http.html#transaction: a load carries out the requests of Bundles.

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

describe('a batch', () => {
  it('leaves a tombstone where a batch deletes, and nothing where there was nothing', async () => {
    await target.load([target.file('a.ndjson', `${patient('a')}\n${patient('b')}`)]);
    const path = target.file(
      'b.json',
      bundle('batch', remove('Patient/a'), remove('Patient/none'), remove('Organization/p')),
    );
    const result = await target.load([path]);
    expect(counts(result)).toEqual({ ...none, records: 3, removed: 1, unchanged: 1 });
    expect(result.skipped).toEqual(new Map([['Organization', 1]]));
    expect(await target.partition.read('Patient', 'a')).toMatchObject({ version: 2, text: undefined });
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 3, unchanged: 2 });
  });

  it('carries out a batch in its order, versions of one resource as well', async () => {
    const path = target.file(
      'a.json',
      bundle(
        'batch',
        put(patient('a'), 'Patient/a'),
        remove('Patient/a'),
        put(patient('a', ',"active":true'), 'Patient/a'),
      ),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 3, created: 2, removed: 1 });
    const { version, text } = (await target.partition.read('Patient', 'a')) ?? {};
    expect([version, text?.includes('active')]).toEqual([3, true]);
  });

  it('rejects an entry whose precondition does not hold', async () => {
    await target.load([target.file('a.ndjson', patient('a'))]);
    const withMatch = (resource: string, match: string): string =>
      `{"resource":${resource},"request":{"method":"PUT","url":"Patient/a",${match}}}`;
    const path = target.file(
      'b.json',
      bundle(
        'batch',
        withMatch(patient('a', ',"active":true'), '"ifNoneMatch":"*"'),
        withMatch(patient('a', ',"gender":"male"'), '"ifMatch":"W/\\"1\\""'),
        withMatch(patient('a', ',"gender":"female"'), '"ifMatch":"W/\\"1\\""'),
      ),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 3, updated: 1, rejected: 2 });
    expect(target.rejects().map(({ at, outcome }) => `${at} ${outcome.issue[0]?.code}`)).toEqual([
      'entry 1 conflict',
      'entry 3 conflict',
    ]);
    expect(await target.text('Patient', 'a')).toContain('"gender":"male"');
  });
});

describe('a transaction', () => {
  it('lands whole', async () => {
    const path = target.file(
      'a.json',
      bundle('transaction', put(patient('a'), 'Patient/a'), put(observation('o'), 'Observation/o')),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 2, created: 2 });
    const times = await target.partition.readMany([
      { type: 'Patient', id: 'a' },
      { type: 'Observation', id: 'o' },
    ]);
    expect(new Set(times.map(({ lastUpdated }) => lastUpdated)).size).toBe(1);
  });

  it.each<[title: string, wrong: string, expected: string]>([
    ['a structure', put(patient('b', ',"nmae":1'), 'Patient/b'), 'structure Bundle.entry[1].resource.nmae'],
    ['a request', put(patient('b'), 'Patient/c'), 'structure Bundle.entry[1].resource.id'],
    [
      'an unknown element of the entry',
      '{"request":{"method":"DELETE","url":"Patient/b"},"link2":1}',
      'structure Bundle.entry[1].link2',
    ],
    ['a method', '{"request":{"method":"GET","url":"Patient/b"}}', 'structure Bundle.entry[1].request.method'],
    ['the same resource twice', put(patient('a'), 'Patient/a'), 'duplicate Bundle.entry[1].request'],
    [
      'a precondition',
      `{"resource":${patient('b')},"request":{"method":"PUT","url":"Patient/b","ifMatch":"W/\\"1\\""}}`,
      'conflict undefined',
    ],
    ['JSON', '{"resource":{},"resource":{}}', 'structure Bundle.entry[1]'],
    [
      'a urn that is no entry',
      put(observation('b', ',"subject":{"reference":"urn:uuid:none"}'), 'Observation/b'),
      'not-found Bundle.entry[1].resource.subject.reference',
    ],
    [
      'a conditional reference that finds nothing',
      put(observation('b', ',"subject":{"reference":"Patient?identifier=none"}'), 'Observation/b'),
      'not-found Bundle.entry[1].resource.subject.reference',
    ],
    [
      'a conditional reference by an unknown parameter',
      put(observation('b', ',"subject":{"reference":"Patient?nonsense=1"}'), 'Observation/b'),
      'not-supported Bundle.entry[1].resource.subject.reference',
    ],
  ])('does not land at all where %s is wrong', async (_title, wrong, expected) => {
    const text = bundle('transaction', put(patient('a'), 'Patient/a'), wrong, remove('Patient/x'));
    await target.load([target.file('x.ndjson', patient('x'))]);
    expect(counts(await target.load([target.file('a.json', text)]))).toEqual({ ...none, records: 3, rejected: 1 });
    const [reject] = target.rejects();
    const issue = reject?.outcome.issue[0];
    expect(`${issue?.code} ${issue?.expression?.[0]}`).toBe(expected);
    expect(reject?.record).toBe(text);
    expect(await target.text('Patient', 'a')).toBeUndefined();
    expect(await target.text('Patient', 'x')).toBeDefined();
  });

  it('leaves out types that are not declared', async () => {
    const organization = '{"resourceType":"Organization","id":"p"}';
    const entries = [put(organization, 'Organization/p'), put(patient('a'), 'Patient/a')];
    const result = await target.load([target.file('a.json', bundle('transaction', ...entries))]);
    expect(counts(result)).toEqual({ ...none, records: 2, created: 1 });
    expect(result.skipped).toEqual(new Map([['Organization', 1]]));
  });
});

describe('a Bundle inside a Bundle', () => {
  it('is loaded where the outer one is a collection', async () => {
    const inner = bundle('collection', `{"resource":${patient('b')}}`, `{"resource":{"resourceType":"Pateint"}}`);
    const innermost = bundle('searchset', `{"resource":${bundle('transaction', put(patient('d'), 'Patient/d'))}}`);
    const outer = bundle(
      'collection',
      ...[patient('a'), inner, innermost, patient('c')].map(one => `{"resource":${one}}`),
    );
    expect(counts(await target.load([target.file('a.json', outer)]))).toEqual({
      ...none,
      records: 5,
      created: 4,
      rejected: 1,
    });
    expect(target.rejects().map(({ at }) => at)).toEqual(['entry 2, entry 2']);
    const lines = target.file('b.ndjson', `${outer}\n${patient('e')}`);
    expect(counts(await target.load([lines]))).toEqual({ ...none, records: 6, created: 1, unchanged: 4, rejected: 1 });
    expect(target.rejects().map(({ at }) => at)).toEqual(['line 1, entry 2, entry 2']);
  });

  it.each(['batch', 'transaction'])('is rejected in a %s, which asks for a record of it', async type => {
    const inner = bundle('collection', `{"resource":${patient('b')}}`);
    const entry = `{"resource":${inner},"request":{"method":"POST","url":"Bundle"}}`;
    const path = target.file('a.json', bundle(type, entry, put(patient('a'), 'Patient/a')));
    const { skipped, rejected } = await target.load([path]);
    expect([[...skipped], rejected]).toEqual([[], 1]);
    const [reject] = target.rejects();
    expect(reject?.outcome.issue[0]).toMatchObject({
      code: 'not-supported',
      diagnostics: 'The entry is a Bundle, which is not stored here: load its content as a separate file.',
      expression: ['Bundle.entry[0].resource'],
    });
    expect((await target.text('Patient', 'a')) !== undefined).toBe(type === 'batch');
  });
});
