import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExtract } from '../../src/indexing/extract.ts';
import { openStore } from '../../src/store/open.ts';
import { type Target, contentOf, openTarget } from './support/target.ts';
import { current } from '../store/support/current.ts';

// https://hl7.org/fhir/R4/bundle.html, https://hl7.org/fhir/R4/http.html#transaction

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

const patient = (id: string | undefined, more = ''): string =>
  `{"resourceType":"Patient"${id === undefined ? '' : `,"id":"${id}"`}${more}}`;
const observation = (id: string, more = ''): string =>
  `{"resourceType":"Observation","id":"${id}","status":"final","code":{"text":"x"}${more}}`;
const bundle = (type: string, ...entries: readonly string[]): string =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entries.join(',')}]}`;
const put = (resource: string, url: string): string =>
  `{"resource":${resource},"request":{"method":"PUT","url":"${url}"}}`;
const remove = (url: string): string => `{"request":{"method":"DELETE","url":"${url}"}}`;

const counts = ({
  records,
  created,
  updated,
  removed,
  unchanged,
  rejected,
}: Awaited<ReturnType<Target['load']>>): object => ({
  records,
  created,
  updated,
  removed,
  unchanged,
  rejected,
});
const none = { records: 0, created: 0, updated: 0, removed: 0, unchanged: 0, rejected: 0 };

/** A text as it is stored, without the stamp. */
const stored = async (type: string, id: string): Promise<string | undefined> =>
  (await target.text(type, id))?.replace(/"versionId":"[0-9]+","lastUpdated":"[^"]+",?/, '');

describe('load', () => {
  it('reads XML as the JSON of the same content, and reports a broken file with the line', async () => {
    const entry = (id: string): string =>
      `<entry><resource><Patient><id value="${id}"/><active value="true"/></Patient></resource></entry>`;
    const fhir = 'xmlns="http://hl7.org/fhir"';
    const bundle = target.file(
      'a.xml',
      `<Bundle ${fhir}><type value="collection"/>${entry('a')}${entry('b')}</Bundle>`,
    );
    const one = target.file('b.xml.gz', gzipSync(`<Patient ${fhir}><id value="c"/></Patient>`));
    const wrong = target.file('c.xml', `<Patient ${fhir}>\n<active value="true"/><id value="d"/></Patient>`);
    expect(counts(await target.load([bundle, one, wrong]))).toEqual({ ...none, records: 3, created: 3, rejected: 1 });
    expect(await stored('Patient', 'a')).toBe('{"resourceType":"Patient","id":"a","meta":{},"active":true}');
    expect(target.rejects()[0]?.outcome.issue[0]?.diagnostics).toMatch(/`id` must be before `active`.*Line 2, column/);
    const json = target.file('d.ndjson', `${patient('a', ',"active":true')}\n`);
    expect(counts(await target.load([json]))).toEqual({ ...none, records: 1, unchanged: 1 });
  });

  it('keeps ids and texts of NDJSON, makes no version of what is the same, and the next of what changed', async () => {
    const first = target.file('a.ndjson', `${patient('a')}\n${patient('b')}\n`);
    expect(counts(await target.load([first]))).toEqual({ ...none, records: 2, created: 2 });
    expect(counts(await target.load([first]))).toEqual({ ...none, records: 2, unchanged: 2 });
    const second = target.file('b.ndjson', `${patient('a')}\n${patient('b', ',"active":true')}\n`);
    expect(counts(await target.load([second]))).toEqual({ ...none, records: 2, updated: 1, unchanged: 1 });
    expect((await target.partition.read('Patient', 'a'))?.version).toBe(1);
    expect((await target.partition.read('Patient', 'b'))?.version).toBe(2);
    expect((await target.partition.read('Patient', 'b', 1))?.text).not.toContain('active');
  });

  it('sets version and time of its own', async () => {
    const path = target.file(
      'a.json',
      patient('a', ',"meta":{"versionId":"7","lastUpdated":"2001-01-01T00:00:00Z","source":"urn:x"}'),
    );
    await target.load([path]);
    const { text, lastUpdated } = (await target.partition.read('Patient', 'a')) ?? {};
    const time = new Date(lastUpdated ?? 0).toISOString();
    expect(text).toBe(
      `{"resourceType":"Patient","id":"a","meta":{"versionId":"1","lastUpdated":"${time}","source":"urn:x"}}`,
    );
  });

  it('keeps every number and string as it was written', async () => {
    const value = (number: string): string =>
      `{"valueQuantity":{"value":${number}},"code":{"text":"\\u00e9\\n\\ud83d\\ude00é😀"}}`;
    const numbers = ['1.10', '1.0', '100.00', '1e2', '-0', '0.0000001', '12345678901234567890.10', '9007199254740993'];
    const components = numbers.map(value).join(',');
    const path = target.file('a.ndjson', observation('a', `,"component":[${components}]`));
    await target.load([path]);
    expect(await stored('Observation', 'a')).toBe(
      '{"resourceType":"Observation","id":"a","meta":{},"status":"final","code":{"text":"x"},' +
        `"component":[${components}]}`,
    );
  });

  it('reads folders, gzip, Bundles and stdin', async () => {
    target.file('1.ndjson.gz', gzipSync(`${patient('a')}\n`));
    target.file('2.json', bundle('collection', `{"fullUrl":"http://x/Patient/b","resource":${patient('b')}}`));
    target.file('3.json.gz', gzipSync(bundle('searchset', `{"resource":${patient('c')},"search":{"mode":"match"}}`)));
    target.file('4.json', `{\n  "resourceType": "Patient",\n  "id": "d"\n}\n`);
    target.file('5.ndjson', `${bundle('batch', put(patient('e'), 'Patient/e'))}\n${patient('f')}`);
    const result = await target.load([target.folder, '-'], {}, gzipSync(`${patient('g')}\n${patient('h')}\n`));
    expect(counts(result)).toEqual({ ...none, records: 8, created: 8 });
    expect(result).toMatchObject({ done: true, secondsLeft: 0, totalBytes: undefined, file: '-' });
    const ids: string[] = [];
    for await (const { id } of current(target.partition, 'Patient')) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('skips types that are not declared and counts them, or rejects them', async () => {
    const organization = '{"resourceType":"Organization","id":"o","nonsense":1}';
    const path = target.file('a.ndjson', `${organization}\n${patient('a')}\n${organization}`);
    const result = await target.load([path]);
    expect(result.skipped).toEqual(new Map([['Organization', 2]]));
    expect(counts(result)).toEqual({ ...none, records: 3, created: 1 });
    expect(counts(await target.load([path], { undeclared: 'reject' }))).toEqual({
      ...none,
      records: 3,
      unchanged: 1,
      rejected: 2,
    });
    expect(target.rejects()[0]?.outcome.issue[0]).toMatchObject({
      code: 'not-supported',
      diagnostics: 'The type `Organization` is not declared by the capability files.',
    });
  });

  it('gives a record without id the same id each time', async () => {
    const path = target.file('a.ndjson', `${patient(undefined)}\n${patient(undefined)}\n`);
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 2, created: 2 });
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 2, unchanged: 2 });
    const posts = `{"resource":${patient(undefined)},"request":{"method":"POST","url":"Patient"}}`;
    for (const type of ['transaction', 'batch', 'collection']) {
      const file = target.file(`${type}.json`, bundle(type, posts, posts));
      expect(counts(await target.load([file]))).toEqual({ ...none, records: 2, created: 2 });
      expect(counts(await target.load([file]))).toEqual({ ...none, records: 2, unchanged: 2 });
      expect(counts(await target.load(['-'], {}, `${bundle(type, posts)}\n`))).toEqual({
        ...none,
        records: 1,
        created: 1,
      });
      expect(counts(await target.load(['-'], {}, `${bundle(type, posts)}\n`))).toEqual({
        ...none,
        records: 1,
        unchanged: 1,
      });
    }
  });

  it('rejects what is wrong, with its place, its text and an OperationOutcome, and loads the rest', async () => {
    const lines = [
      patient('a'),
      '{"resourceType":"Patient","id":"b","id":"c"}',
      patient('d', ',"nmae":[],"gender":" male"'),
      '{"resourceType":"Patient",',
      '{"resourceType":"Patient","id":"e","name":[{"text":"\\ud800"}]}',
      '{"resourceType":"Patient","id":"f","name":[{"text":"\\u0000"}]}',
      `{"resourceType":"Patient","id":"g","extension":${'['.repeat(70)}${']'.repeat(70)}}`,
      '{"resourceType":"Pateint"}',
      patient('h'),
    ];
    const bytes = Buffer.concat([
      Buffer.from('\ufeff\ufeff'),
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from([0x22, 0xff, 0x22]),
    ]);
    const path = target.file('a.ndjson', bytes);
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 10, created: 1, rejected: 9 });
    const rejects = target.rejects();
    expect(
      rejects.map(
        ({ at, outcome }) =>
          `${at}: ${outcome.issue.map(({ code, diagnostics }) => `${code} ${diagnostics}`).join(' | ')}`,
      ),
    ).toEqual([
      'line 1: structure The text begins with a byte order mark: remove it. ($, line 1, column 1)',
      'line 2: structure The property `id` is repeated in one object. ($.id, line 1, column 36)',
      'line 3: structure `Patient` has no element `nmae`. Did you mean `name`? | value `gender` must ' +
        'be a code: words separated by single spaces, without leading and trailing ones, not ` male`.',
      'line 4: structure The text ends where a property name in double quotes is expected. ($, line 1, column 27)',
      'line 5: structure Lone surrogate: `\\ud800` to `\\udbff` must be followed by ' +
        '`\\udc00` to `\\udfff`. ($.name[0].text, line 1, column 53)',
      'line 6: structure The character U+0000 is not allowed. ($.name[0].text, line 1, column 53)',
      'line 7: structure Objects and arrays nest more than 64 levels deep. ' +
        `($.extension${'[0]'.repeat(63)}, line 1, column 111)`,
      'line 8: structure `Pateint` is not a resource type of R4. Did you mean `Patient`?',
      'line 10: structure The text is not valid UTF-8: byte 2 (0xff) is invalid. ($, line 1, column 2)',
    ]);
    expect(rejects[2]).toMatchObject({ file: path, record: lines[2] });
    expect(rejects[2]?.outcome.issue[0]?.expression).toEqual(['Patient.nmae']);
    expect(await target.text('Patient', 'h')).toBeDefined();
  });

  it('makes no file of rejects where there are none', async () => {
    await target.load([target.file('a.ndjson', patient('a'))]);
    expect(existsSync(`${target.folder}/rejects.ndjson`)).toBe(false);
  });

  it('loads a file up to where it is broken, and the files after it', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) =>
      patient(`p${index}`, `,"gender":"${index % 2 ? 'male' : 'female'}"`),
    );
    const packed = gzipSync(lines.join('\n'));
    target.file('a.ndjson.gz', packed.subarray(0, packed.length - 500));
    target.file('b.json', bundle('collection', `{"resource":${patient('x')}}`, ''));
    target.file('c.ndjson', patient('y'));
    const result = await target.load([target.folder]);
    expect(result.rejected).toBe(2);
    expect(result.created).toBeGreaterThan(100);
    expect(await target.text('Patient', 'y')).toBeDefined();
    const rejects = target.rejects();
    expect(rejects[0]?.outcome.issue[0]?.diagnostics).toContain('The gzip data is damaged');
    expect(rejects[1]?.outcome.issue[0]?.diagnostics).toContain('A comma precedes the end of the entries.');
  });

  it.each([
    ['a misspelt `entry`', `{"resourceType":"Bundle","type":"batch","entyr":[${put(patient('a'), 'Patient/a')}]}`],
    ['two of them', `{"resourceType":"Bundle","type":"batch","entry":[${put(patient('a'), 'Patient/a')}],"entry":[]}`],
    ['text behind its end', `${bundle('batch', put(patient('a'), 'Patient/a'))}}`],
  ])('loads nothing of a Bundle with %s', async (_title, text) => {
    expect(await target.load([target.file('a.json', text)])).toMatchObject({ created: 0, rejected: 1 });
    expect(await target.load(['-'], {}, text)).toMatchObject({ created: 0, rejected: 1 });
    expect(await target.text('Patient', 'a')).toBeUndefined();
  });

  it('takes an empty Bundle for what it is', async () => {
    expect(counts(await target.load([target.file('a.json', bundle('searchset'))]))).toEqual(none);
  });

  it('does not read its own rejects', async () => {
    target.file('a.ndjson', '{"resourceType":"Pateint"}\n');
    for (const _ of [1, 2]) expect(await target.load([target.folder])).toMatchObject({ records: 1, rejected: 1 });
  });

  it('does not write its rejects over anything else', async () => {
    const records = `${patient('a')}\n{"resourceType":"Pateint"}\n`;
    const path = target.file('a.ndjson', records);
    for (const paths of [[path], [target.folder]])
      await expect(target.load(paths, { rejects: path })).rejects.toThrow(
        `\`${path}\` has other content than rejected records`,
      );
    expect(readFileSync(path, 'utf8')).toBe(records);
  });

  it('works while a server does', async () => {
    const { model, folder } = target;
    const extract = createExtract(model);
    const url = `sqlite:${join(folder, 'records.sqlite')}`;
    expect((await target.store.check()).served).toBe(false);
    const server = await openStore(url, { model, extract, now: Date.now, mode: 'serve', deadline: 5000 });
    const served = await server.partition('demo');
    expect((await target.store.check()).served).toBe(true);
    const lines = Array.from({ length: 5000 }, (_, index) => patient(`p${index}`));
    const loading = target.load([target.file('a.ndjson', lines.join('\n'))]);
    let written = 0;
    for (const until = Date.now() + 300; Date.now() < until; written++) {
      const text = { before: `{"resourceType":"Patient","id":"own${written}","meta":{`, after: '}}' };
      await served?.write([{ kind: 'put', type: 'Patient', id: `own${written}`, text }]);
    }
    expect(await loading).toMatchObject({ created: 5000, rejected: 0 });
    expect(await served?.count('Patient')).toBe(5000 + written);
    await server.close();
    expect((await target.store.check()).served).toBe(false);
  });

  it('rejects what deletes an unknown type', async () => {
    const result = await target.load([target.file('a.json', bundle('batch', remove('Pateint/a')))]);
    expect(result).toMatchObject({ rejected: 1 });
  });

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
    expect(await stored('Observation', 'o')).toBe(
      `{"resourceType":"Observation","id":"o","meta":{},"status":"final","code":{"text":"x"},` +
        `"subject":{"reference":"Patient/22222222-2222-2222-2222-222222222222"},"valueQuantity":{"value":1.10}}`,
    );
    expect(await stored('Observation', 'o3')).toContain('"reference":"Patient/own"');
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
    expect(await stored('Observation', 'o')).toContain('"reference":"Patient/ten"');
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
    expect(await stored('Observation', 'o1')).toContain('"reference":"Patient/stored"');
    expect(await stored('Observation', 'o3')).toContain('"reference":"Patient/later"');
    expect(await stored('Observation', 'o4')).toContain('"reference":"Patient/stored"');
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
    expect(await stored('Observation', 'o4')).toContain('"reference":"Practitioner?identifier=1"');
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
    expect(await stored('Observation', 'o1')).toContain('"reference":"Patient/first"');
    expect(await stored('Observation', 'o2')).toContain('"reference":"Patient/second"');
    expect(await stored('Observation', 'o3')).toContain('"reference":"Patient/new"');
    expect(await target.text('Patient', 'second')).toContain('"active":true');
  });
});

it('what a load leaves behind does not depend on the layout of its input', async () => {
  const records = Array.from({ length: 700 }, (_, index) =>
    index % 3 === 0
      ? patient(`p${index}`)
      : observation(`o${index}`, `,"subject":{"reference":"Patient/p${index - (index % 3)}"}`),
  );
  await target.load([target.file('a.ndjson', records.join('\n'))]);
  const expected = await contentOf(target.partition, target.model.types.keys());
  expect(expected).toHaveLength(700);
  for (const type of ['collection', 'batch', 'transaction']) {
    const other = await openTarget();
    const entries = records.map(record => {
      const { resourceType, id } = JSON.parse(record) as { resourceType: string; id: string };
      return put(record, `${resourceType}/${id}`);
    });
    await other.load([other.file('a.json', bundle(type, ...entries))]);
    expect(await contentOf(other.partition, other.model.types.keys())).toEqual(expected);
    await other.close();
  }
});

describe('a record that no store takes', () => {
  /** A text has a megabyte at most. */
  const long = (id: string, bytes: number): string =>
    patient(
      id,
      `,"name":[${Array.from({ length: bytes / 100_000 }, () => `{"text":"${'é'.repeat(50_000)}"}`).join(',')}]`,
    );

  it('is rejected, and the rest is loaded', async () => {
    const path = target.file(
      'a.ndjson',
      `${patient('a')}\n${long('b', 8_400_000)}\n${long('c', 8_300_000)}\n${patient('d')}`,
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 4, created: 3, rejected: 1 });
    expect(target.rejects().map(({ at, outcome }) => [at, outcome.issue[0]?.code])).toEqual([['line 2', 'too-long']]);
  });

  it('makes its transaction fail', async () => {
    const path = target.file(
      'a.json',
      bundle('transaction', put(patient('a'), 'Patient/a'), put(long('b', 8_400_000), 'Patient/b')),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 2, rejected: 1 });
    const [reject] = target.rejects();
    expect(reject?.outcome.issue.map(({ code, expression }) => [code, expression])).toEqual([
      ['too-long', ['Bundle.entry[1].resource']],
    ]);
  });
});

describe('the same id twice in a file', () => {
  const [active, inactive] = [patient('a', ',"active":true'), patient('a', ',"active":false')];
  const twice: readonly [title: string, name: string, text: string, at: string, before: string][] = [
    ['lines', 'a.ndjson', [active, patient('b'), inactive].join('\n'), 'line 3', 'line 1'],
    [
      'entries',
      'a.json',
      bundle('collection', ...[active, patient('b'), inactive].map(one => `{"resource":${one}}`)),
      'entry 3',
      'entry 1',
    ],
  ];

  it.each(twice)(
    'is rejected where it says something else, and loading again is harmless: %s',
    async (_, name, text, at, before) => {
      const path = target.file(name, text);
      expect(counts(await target.load([path]))).toEqual({ ...none, records: 3, created: 2, rejected: 1 });
      const [reject] = target.rejects();
      expect([reject?.at, reject?.outcome.issue[0]?.code]).toEqual([at, 'duplicate']);
      expect(reject?.outcome.issue[0]?.diagnostics).toBe(
        `\`Patient/a\` occurs earlier in the file (${before}) with other content: only that one is loaded.`,
      );
      expect(counts(await target.load([path]))).toEqual({ ...none, records: 3, unchanged: 2, rejected: 1 });
      expect((await target.partition.read('Patient', 'a'))?.version).toBe(1);
    },
  );

  it('is nothing where it says the same, and where the first one was rejected', async () => {
    const spaced = active.replaceAll(':', ': ');
    const path = target.file('a.ndjson', [active, spaced, patient('b', ',"nmae":1'), patient('b')].join('\n'));
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 4, created: 2, unchanged: 1, rejected: 1 });
  });

  it('is a new version in another file, and where requests say so', async () => {
    const files = [target.file('a.ndjson', active), target.file('b.ndjson', inactive)];
    expect(counts(await target.load(files))).toEqual({ ...none, records: 2, created: 1, updated: 1 });
    const path = target.file(
      'c.json',
      bundle('batch', put(active, 'Patient/a'), remove('Patient/a'), put(inactive, 'Patient/a')),
    );
    expect(await target.load([path])).toMatchObject({ rejected: 0, removed: 1 });
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

it.skipIf(process.platform === 'win32')(
  'names symbolic links in a folder and does not follow them (a right on Windows)',
  async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outside, 'x.ndjson'), patient('x'));
    mkdirSync(join(target.folder, 'in'));
    writeFileSync(join(target.folder, 'in', 'a.ndjson'), patient('a'));
    symlinkSync(join(outside, 'x.ndjson'), join(target.folder, 'in', 'b.ndjson'));
    symlinkSync(outside, join(target.folder, 'in', 'c'));
    symlinkSync(join(outside, 'x.ndjson'), join(target.folder, 'in', 'd.txt'));
    const result = await target.load([join(target.folder, 'in')]);
    expect(counts(result)).toEqual({ ...none, records: 1, created: 1 });
    expect(result.links).toEqual([join(target.folder, 'in', 'b.ndjson'), join(target.folder, 'in', 'c')]);
    // Whoever names a link means what it leads to.
    expect(await target.load([join(target.folder, 'in', 'b.ndjson')])).toMatchObject({ created: 1, links: [] });
    rmSync(join(target.folder, 'in', 'a.ndjson'));
    await expect(target.load([join(target.folder, 'in')])).rejects.toThrow(
      /has no file that ends in .*; links in it are not followed/,
    );
    rmSync(outside, { recursive: true });
  },
);
