import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExtract } from '../../../src/indexing/extract.ts';
import { openStore } from '../../../src/store/open.ts';
import { patient, observation, bundle, put, remove } from '../support/texts.ts';
import { type Target, contentOf, counts, none, openTarget, stored } from '../support/target.ts';

// NDJSON, JSON and XML: ids, versions and texts of the records that a load writes.

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

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
    expect(await stored(target, 'Patient', 'a')).toBe('{"resourceType":"Patient","id":"a","meta":{},"active":true}');
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
    expect(await stored(target, 'Observation', 'a')).toBe(
      '{"resourceType":"Observation","id":"a","meta":{},"status":"final","code":{"text":"x"},' +
        `"component":[${components}]}`,
    );
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
