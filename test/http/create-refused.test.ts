// https://hl7.org/fhir/R4/http.html#create and the table of failures
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuesOf, keptBytes, media, png, post, sha1 } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')]);
  await server.running.engine.store.partitions.add('other', { zone: 'UTC' });
});
afterAll(() => server.close());

const { content, ...withoutContent } = media();
const { subject: _, ...withoutSubject } = media();
const { status: __, ...withoutStatus } = media();
const extension = (value: object) => [{ url: 'https://example.org/x', ...value }];

describe('create refuses', () => {
  it.each<[string, object, number, readonly string[]]>([
    // structure: 400
    ['another type than the URL names', { resourceType: 'Patient' }, 400, ['structure resourceType']],
    ['no resourceType', { status: 'completed' }, 400, ['structure resourceType']],
    ['an array', [media()], 400, ['structure resourceType']],
    ['an unknown element', media({ staus: 'x' }), 400, ['structure Media.staus']],
    ['an unknown element within', media({}, { titel: 'x' }), 400, ['structure Media.content.titel']],
    ['another JSON type', media({ duration: '5' }), 400, ['structure Media.duration']],
    ['a number that is none of the type', media({ height: 1.5 }), 400, ['value Media.height']],
    ['an array where there is none', media({ status: ['completed'] }), 400, ['structure Media.status']],
    ['no array where there is one', media({ identifier: {} }), 400, ['structure Media.identifier']],
    [
      'two types of a choice',
      media({ createdDateTime: '2024', createdPeriod: { start: '2024' } }),
      400,
      ['structure Media.created'],
    ],
    ['a date that does not exist', media({ createdDateTime: '2024-02-30' }), 400, ['value Media.created']],
    ['no status', withoutStatus, 400, ['required Media.status']],
    ['no content', withoutContent, 400, ['required Media.content']],
    ['content that is a text', media({ content: 'x' }), 400, ['structure Media.content']],
    ['content in an array', media({ content: [content] }), 400, ['structure Media.content']],
    ['base64 that is none', media({}, { data: 'QU*D' }), 400, ['value Media.content.data']],
    ['base64 that is not complete', media({}, { data: 'iVBORw0KGgoA=' }), 400, ['value Media.content.data']],
    ['empty data', media({}, { data: '' }), 400, ['value Media.content.data']],
    ['data of white space', media({}, { data: ' \n ' }), 400, ['value Media.content.data']],
    ['data in an array', media({}, { data: [content.data] }), 400, ['structure Media.content.data']],
    ['data as a number', media({}, { data: 5 }), 400, ['structure Media.content.data']],
    // profile, codes, references and attachments: 422
    ['a code that is not in the required binding', media({ status: 'complete' }), 422, ['code-invalid Media.status']],
    [
      'such a code within a data type',
      media({ identifier: [{ use: 'offical', value: '1' }] }),
      422,
      ['code-invalid Media.identifier[0].use'],
    ],
    ['no subject', withoutSubject, 422, ['required Media.subject']],
    [
      'a subject that is only described',
      media({ subject: { display: 'Ann' } }),
      422,
      ['required Media.subject.reference'],
    ],
    [
      'a subject that is not here',
      media({ subject: { reference: 'Patient/none' } }),
      422,
      ['not-found Media.subject.reference'],
    ],
    [
      'a subject of another type',
      media({ subject: { reference: 'Location/1' } }),
      422,
      ['value Media.subject.reference'],
    ],
    [
      'a subject on another server',
      media({ subject: { reference: 'https://example.org/fhir/Patient/p1' } }),
      422,
      ['not-found Media.subject.reference'],
    ],
    [
      'a subject by urn',
      media({ subject: { reference: 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520' } }),
      422,
      ['not-found Media.subject.reference'],
    ],
    [
      'a contained subject',
      media({ contained: [{ resourceType: 'Patient', id: 'c' }], subject: { reference: '#c' } }),
      422,
      ['value Media.subject.reference'],
    ],
    [
      'a version of a subject that is not here',
      media({ subject: { reference: 'Patient/p1/_history/9' } }),
      422,
      ['not-found Media.subject.reference'],
    ],
    [
      'another reference to what is not here',
      media({ encounter: { reference: 'Encounter/none' } }),
      422,
      ['not-found Media.encounter.reference'],
    ],
    [
      'a contained reference to nothing',
      media({ device: { reference: '#d' } }),
      422,
      ['invariant Media.device', 'not-found Media.device.reference'],
    ],
    [
      'no content type',
      media({}, { contentType: undefined }),
      422,
      ['invariant Media.content', 'required Media.content.contentType'],
    ],
    ['no data', media({}, { data: undefined }), 422, ['required Media.content.data']],
    [
      'a URL in place of data',
      media({}, { data: undefined, url: 'https://example.org/x.png' }),
      422,
      ['required Media.content.data', 'structure Media.content.url'],
    ],
    ['a URL beside data', media({}, { url: 'https://example.org/x.png' }), 422, ['structure Media.content.url']],
    [
      'a content type that is not listed',
      media({}, { contentType: 'image/svg+xml' }),
      422,
      ['business-rule Media.content.contentType'],
    ],
    ['a document', media({}, { contentType: 'application/pdf' }), 422, ['business-rule Media.content.contentType']],
    ['bytes of another type', media({}, { contentType: 'image/jpeg' }), 422, ['business-rule Media.content.data']],
    ['a wrong size', media({}, { size: 5 }), 422, ['value Media.content.size']],
    ['a wrong hash', media({}, { hash: sha1(png(5)) }), 422, ['value Media.content.hash']],
    [
      'an extension in place of data',
      media({}, { data: undefined, _data: { extension: extension({ valueString: 'x' }) } }),
      422,
      ['business-rule Media.content.data'],
    ],
    [
      'an extension beside data',
      media({}, { _data: { extension: extension({ valueString: 'x' }) } }),
      422,
      ['business-rule Media.content.data'],
    ],
    [
      'bytes in an extension',
      media({ extension: extension({ valueAttachment: { contentType: 'image/png', data: content.data } }) }),
      422,
      ['business-rule Media.extension[0].value.data'],
    ],
    [
      'bytes in an extension of a primitive',
      media({ _status: { extension: extension({ valueBase64Binary: content.data }) } }),
      422,
      ['business-rule Media.status.extension[0].value'],
    ],
    [
      'bytes in a contained resource',
      media({ contained: [{ ...media(), id: 'c' }], device: { reference: '#c' } }),
      422,
      ['value Media.device.reference', 'business-rule Media.contained[0].content.data'],
    ],
  ])('%s', async (_, body, status, issues) => {
    const answer = await post(server, 'Media', body);
    expect([answer.status, issuesOf(answer)]).toEqual([status, issues]);
    for (const { severity, diagnostics } of answer.json.issue) {
      expect(severity).toBe('error');
      expect(diagnostics).toMatch(/^.{15,}[.?)]$/s);
    }
  });

  it.each([
    ['an unknown element', media({ staus: 'x' }), 'Did you mean `status`?'],
    ['a code', media({ status: 'complete' }), 'Did you mean `completed`?'],
    ['a document', media({}, { contentType: 'application/pdf' }), 'A document belongs in DocumentReference'],
  ])('%s with a hint', async (_, body, hint) => {
    expect((await post(server, 'Media', body)).json.issue[0].diagnostics).toContain(hint);
  });

  it('everything at once, each thing once', async () => {
    const body = media(
      { staus: 'x', status: 'complete', subject: { reference: 'Patient/no' }, height: 0 },
      { size: 1, url: 'x:y', contentType: 'text/plain' },
    );
    const answer = await post(server, 'Media', body);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer).toSorted()).toEqual([
      'business-rule Media.content.contentType',
      'code-invalid Media.status',
      'not-found Media.subject.reference',
      'structure Media.content.url',
      'structure Media.staus',
      'value Media.content.size',
      'value Media.height',
    ]);
  });

  const text = JSON.stringify(media());
  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'The text ends'],
    ['no JSON', '<Media/>', 'was found where a value is expected'],
    ['JSON that is cut off', text.slice(0, -1), 'The text ends'],
    ['something behind it', `${text}{}`, 'The text continues'],
    ['a property given twice', text.replace('{', '{"status":"completed",'), '`status` is repeated'],
    ['data given twice', text.replace('"content":{', '"content":{"data":"QUJD",'), '`data` is repeated'],
    ['content given twice', text.replace('"content"', '"content":{"data":"QUJD"},"content"'), '`content` is repeated'],
    ['a comment', `/* x */${text}`, 'was found where a value is expected'],
    ['a lone surrogate', text.replace('Wound', String.raw`\ud800`), 'surrogate'],
    ['U+0000', text.replace('Wound', String.raw`\u0000`), 'U+0000'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff])]),
      'not valid UTF-8',
    ],
    ['more than 64 levels', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, '64 levels'],
  ])('%s as a body', async (_, body, reason) => {
    const answer = await post(server, 'Media', body);
    expect([answer.status, answer.json.issue[0].code]).toEqual([400, 'structure']);
    expect(answer.json.issue[0].diagnostics).toContain(reason);
  });

  it.each<[string | undefined, string]>([
    [undefined, 'no Content-Type'],
    ['application/fhir+turtle', 'another format'],
    ['application/fhir+xml; fhirVersion=5.0', 'XML of another release'],
    ['text/json', 'another name of JSON'],
    ['application/json-patch+json', 'a patch'],
    ['application/x-www-form-urlencoded', 'a form'],
    ['application/fhir+json; charset=iso-8859-1', 'another charset'],
    ['application/fhir+json; fhirVersion=5.0', 'another release'],
  ])('%s as Content-Type: %s', async (...[type]) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
    const answer = await server.ask('POST', '/Media', { headers, body: text });
    expect([answer.status, ...issuesOf(answer)]).toEqual([415, 'not-supported http."Content-Type"']);
  });

  it.each([['br'], ['x'], ['gzip, gzip']])('Content-Encoding %s', async encoding => {
    const answer = await post(server, 'Media', text, { 'Content-Encoding': encoding });
    expect([answer.status, ...issuesOf(answer)]).toEqual([415, 'not-supported http."Content-Encoding"']);
  });

  it('an Accept that cannot be met', async () => {
    expect((await post(server, 'Media', text, { Accept: 'application/fhir+turtle' })).status).toBe(406);
  });

  it('parameters that a create does not have', async () => {
    expect((await post(server, 'Media?foo=1', text)).status).toBe(400);
    expect((await post(server, 'Media?_summary=true', text)).status).toBe(400);
  });

  it.each([
    ['a type that is not declared', 'Account', 404, undefined],
    ['a type that does not exist', 'Medai', 404, undefined],
    ['a type that is not created', 'Patient', 405, 'GET, HEAD'],
    ['a path with an id', 'Media/1', 405, ''],
    ['a slash at the end', 'Media/', 404, undefined],
  ])('%s: %s', async (_, path, status, allow) => {
    const answer = await post(server, path, text);
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
  });

  it('a patient of another partition', async () => {
    const headers = { 'Content-Type': 'application/fhir+json' };
    const answer = await server.ask('POST', '//r4/other/Media', { headers, body: text });
    expect([answer.status, ...issuesOf(answer)]).toEqual([422, 'not-found Media.subject.reference']);
    expect((await server.ask('POST', '//r4/none/Media', { headers, body: text })).status).toBe(404);
  });

  it('an attachment that is too large, at one byte', async () => {
    const most = 20 * 1024 * 1024;
    const answer = await post(server, 'Media', media({}, { data: png(most + 1).toString('base64') }));
    expect([answer.status, ...issuesOf(answer)]).toEqual([413, 'too-long Media.content.data']);
  });

  it('a resource that is too large beside its attachment', async () => {
    const note = Array.from({ length: 40 }, () => ({ text: 'x'.repeat(30_000) }));
    const answer = await post(server, 'Media', media({ note }));
    expect([answer.status, ...issuesOf(answer)]).toEqual([413, 'too-long']);
  });

  it('a body that is larger than any of the type', async () => {
    const answer = await post(server, 'Media', Buffer.alloc(34_000_000, 0x20));
    expect([answer.status, answer.json.issue[0].code]).toEqual([413, 'too-long']);
  });

  it('a thousand attachments at the same place', async () => {
    const data = Array.from({ length: 1_000 }, () => '"data":""').join(',');
    expect((await post(server, 'Media', `{"resourceType":"Media","content":{${data}}}`)).status).toBe(413);
  });

  it.each([
    ['', 'empty'],
    ['a b', 'with a space'],
    ['x'.repeat(129), 'too long'],
  ])('Idempotency-Key `%s`: %s', async key => {
    const answer = await post(server, 'Media', text, { 'Idempotency-Key': key });
    expect([answer.status, ...issuesOf(answer)]).toEqual([400, 'value http."Idempotency-Key"']);
  });

  it('If-None-Exist where it is not declared', async () => {
    const answer = await post(server, 'Media', text, { 'If-None-Exist': 'identifier=1' });
    expect([answer.status, ...issuesOf(answer)]).toEqual([400, 'not-supported http."If-None-Exist"']);
  });

  it('and has kept nothing of all that', async () => {
    expect([await server.partition.count('Patient'), await server.partition.count('Media')]).toEqual([1, 0]);
    expect(await keptBytes(server, 'Media')).toEqual(new Map());
  });
});

it('a record that is longer than any store takes is refused, whatever a body may have', async () => {
  const large = await serve([patient('p1')], ['--max-body', '20000000']);
  const notes = (count: number): object =>
    media({ note: Array.from({ length: count }, () => ({ text: 'x'.repeat(30_000) })) });
  const answer = await post(large, 'Media', notes(290));
  expect([answer.status, ...issuesOf(answer)]).toEqual([413, 'too-long']);
  expect(answer.json.issue[0].diagnostics).toMatch(/^Media\/\S+ exceeds the size limit of 8388608 bytes per record\.$/);
  expect((await post(large, 'Media', notes(270))).status).toBe(201);
  expect(await large.partition.count('Media')).toBe(1);
  await large.close();
});
