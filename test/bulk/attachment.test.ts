// https://hl7.org/fhir/R4/datatypes.html#attachment
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { media, png, sha1 } from '../support/media.ts';
import { type Target, openTarget } from './support/target.ts';
import { attachmentsIn } from '../support/attached.ts';

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

type Fields = Readonly<Record<string, unknown>>;

const picture = (id: string, bytes: Buffer, fields: Fields = {}, content: Fields = {}): string =>
  JSON.stringify(media({ id, ...fields }, { data: bytes.toString('base64'), ...content }));
const bundle = (type: string, ...resources: readonly string[]): string =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${resources
    .map(text => {
      const { resourceType, id } = JSON.parse(text) as { resourceType: string; id: string };
      return `{"resource":${text},"request":{"method":"PUT","url":"${resourceType}/${id}"}}`;
    })
    .join(',')}]}`;
const patient = '{"resourceType":"Patient","id":"p1"}';

/** The attachments of the current records, by id, and the number of their files. */
async function kept(): Promise<{ readonly carried: ReadonlyMap<string, Buffer>; readonly files: number }> {
  const carried = new Map<string, Buffer>();
  for (const { id, digest } of await attachmentsIn(target.partition, 'Media')) {
    const chunks: Buffer[] = [];
    for await (const chunk of (await target.partition.attachment(digest)) ?? []) chunks.push(chunk as Buffer);
    carried.set(id, Buffer.concat(chunks));
  }
  const files = readdirSync(target.folder, { recursive: true, withFileTypes: true });
  return { carried, files: files.filter(file => file.isFile() && /^[0-9a-f]{64}/.test(file.name)).length };
}

/** The texts that were ever stored of a record, oldest first, without the stamp. */
async function texts(id: string): Promise<readonly string[]> {
  const { version: last = 0 } = (await target.partition.read('Media', id)) ?? {};
  const found: string[] = [];
  for (let version = 1; version <= last; version++) {
    const { text = '' } = (await target.partition.read('Media', id, version)) ?? {};
    found.push(text.replace(/"versionId":"[0-9]+","lastUpdated":"[^"]+",?/, ''));
  }
  return found;
}

const textOf = (id: string, content = '"contentType":"image/png","title":"Wound, left arm"'): string =>
  `{"resourceType":"Media","id":"${id}","meta":{},"status":"completed",` +
  '"type":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/media-type",' +
  `"code":"image"}]},"subject":{"reference":"Patient/p1"},"content":{${content}}}`;

const forms: readonly [form: string, write: (...resources: readonly string[]) => string, name: string][] = [
  ['NDJSON', (...resources) => `${resources.join('\n')}\n`, 'a.ndjson'],
  ['a batch', (...resources) => bundle('batch', ...resources), 'a.json'],
  ['a collection', (...resources) => bundle('collection', ...resources), 'a.json'],
  ['a transaction', (...resources) => bundle('transaction', ...resources), 'a.json'],
];

describe.each(forms)('content in %s', (_form, write, name) => {
  it('is kept apart from the record, once', async () => {
    const [one, two] = [png(1000), png(70_000)];
    const path = target.file(name, write(picture('a', one), patient, picture('b', two), picture('c', one)));
    expect(await target.load([path])).toMatchObject({ records: 4, created: 4, rejected: 0 });
    expect(await kept()).toEqual({
      files: 2,
      carried: new Map([
        ['a', one],
        ['b', two],
        ['c', one],
      ]),
    });
    for (const id of ['a', 'b', 'c']) expect(await texts(id)).toEqual([textOf(id)]);

    expect(await target.load([path])).toMatchObject({ records: 4, created: 0, updated: 0, unchanged: 4 });
    expect((await kept()).files).toBe(2);
    for (const id of ['a', 'b', 'c']) expect(await texts(id)).toHaveLength(1);
  });

  it('makes a new version where it alone is another', async () => {
    await target.load([target.file(name, write(picture('a', png(100))))]);
    expect(await target.load([target.file(name, write(picture('a', png(200))))])).toMatchObject({ updated: 1 });
    expect(await texts('a')).toEqual([textOf('a'), textOf('a')]);
    expect((await kept()).carried).toEqual(new Map([['a', png(200)]]));
  });

  it('stays with a record that is loaded as it was exported', async () => {
    const bytes = png(100);
    await target.load([target.file(name, write(picture('a', bytes)))]);
    const exported = (await target.partition.read('Media', 'a'))?.text ?? '';
    expect(await target.load([target.file(name, write(exported))])).toMatchObject({ unchanged: 1 });
    const changed = exported.replace('"completed"', '"stopped"');
    expect(await target.load([target.file(name, write(changed))])).toMatchObject({ updated: 1 });
    expect((await kept()).carried).toEqual(new Map([['a', bytes]]));
  });
});

it('a record without content is loaded as it is', async () => {
  const text = JSON.stringify({
    resourceType: 'Media',
    id: 'a',
    status: 'completed',
    subject: { reference: 'Patient/p1' },
    content: { contentType: 'image/png' },
  });
  expect(await target.load([target.file('a.ndjson', text)])).toMatchObject({ created: 1 });
  expect((await kept()).carried).toEqual(new Map());
});

it('takes white space and escapes within base64, names with escapes, and every number as it was written', async () => {
  const bytes = Buffer.concat([png(10), Buffer.from('fbffbf', 'hex')]);
  const data = JSON.stringify(bytes.toString('base64').replaceAll(/(.{8})/g, '$1\r\n')).replaceAll('/', '\\/');
  const text =
    '{"resourceType": "Media", "id": "a", "status": "completed", "subject": {"reference": ' +
    `"Patient/p1"}, "duration": 1.10, "content": {"d\\u0061ta": ${data}, "contentType": "image/png"}}`;
  await target.load([target.file('a.ndjson', text)]);
  expect(await texts('a')).toEqual([
    '{"resourceType":"Media","id":"a","meta":{},"status":"completed",' +
      '"subject":{"reference":"Patient/p1"},"duration":1.10,"content":{"contentType":"image/png"}}',
  ]);
  expect((await kept()).carried).toEqual(new Map([['a', bytes]]));
});

describe('content that a create would refuse', () => {
  const refused: readonly [title: string, text: string, expected: string][] = [
    ['no base64', picture('w', png(), {}, { data: 'A*==' }), 'value Media.content.data'],
    ['a group that is cut off', picture('w', png(), {}, { data: 'AAAAA' }), 'value Media.content.data'],
    ['nothing', picture('w', png(), {}, { data: '' }), 'value Media.content.data'],
    ['another size', picture('w', png(100), {}, { size: 99 }), 'value Media.content.size'],
    ['another hash', picture('w', png(100), {}, { hash: sha1(png(99)) }), 'value Media.content.hash'],
    ['no content type', picture('w', png(), {}, { contentType: undefined }), 'required Media.content.contentType'],
    [
      'a document',
      picture('w', png(), {}, { contentType: 'application/pdf' }),
      'business-rule Media.content.contentType',
    ],
    ['another signature', picture('w', Buffer.from('GIF89a')), 'business-rule Media.content.data'],
    ['too many bytes', picture('w', png(20 * 1024 * 1024 + 1)), 'too-long Media.content.data'],
    ['more than bytes', picture('w', png(), {}, { _data: { id: 'x' } }), 'business-rule Media.content.data'],
    ['a misspelt element beside it', picture('w', png(), {}, { tilte: 'x' }), 'structure Media.content.tilte'],
  ];

  it.each(refused)('rejects the record: %s', async (_title, text, expected) => {
    const path = target.file('a.ndjson', `${picture('a', png(50))}\n${text}\n${patient}\n`);
    expect(await target.load([path])).toMatchObject({ created: 2, rejected: 1 });
    const issues = target.rejects().flatMap(({ outcome }) => outcome.issue);
    expect(issues.map(({ code, expression }) => `${code} ${expression?.[0]}`)).toContain(expected);
    expect(await target.text('Media', 'w')).toBeUndefined();
    expect(await kept()).toEqual({ files: 1, carried: new Map([['a', png(50)]]) });
  });

  it('rejects the entry of a batch, and a whole transaction, whose bytes are deleted', async () => {
    const entries = [picture('a', png(50)), patient, picture('w', png(), {}, { size: 1 })];
    await target.load([target.file('a.json', bundle('transaction', ...entries))]);
    const [reject] = target.rejects();
    expect(reject?.outcome.issue.map(({ expression }) => expression)).toEqual([
      ['Bundle.entry[2].resource.content.size'],
    ]);
    expect(await kept()).toEqual({ files: 0, carried: new Map() });
    expect(await target.text('Patient', 'p1')).toBeUndefined();

    const result = await target.load([target.file('b.json', bundle('batch', ...entries))]);
    expect(result).toMatchObject({ created: 2, rejected: 1 });
    expect((await kept()).carried).toEqual(new Map([['a', png(50)]]));
  });
});

it('many that come together are loaded, each version after the one before', async () => {
  const sizes = Array.from({ length: 60 }, (_, index) => 300_000 + index);
  const lines = sizes.map((size, index) => picture(`m${index % 20}`, png(size)));
  const paths = ['a', 'b', 'c'].map((name, at) =>
    target.file(`${name}.ndjson`, lines.slice(at * 20, (at + 1) * 20).join('\n')),
  );
  expect(await target.load(paths)).toMatchObject({ created: 20, updated: 40, rejected: 0 });
  const { carried, files } = await kept();
  expect(files).toBe(60);
  for (const [index, size] of sizes.slice(40).entries()) expect(carried.get(`m${index}`)?.length).toBe(size);
});
