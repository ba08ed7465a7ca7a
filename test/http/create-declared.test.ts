// Whatever type the definitions declare to be created is: with conditions, with attachments in other places.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuesOf, keptBytes, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  const folder = join(import.meta.dirname, '../fixtures/created-types');
  server = await serve([patient('p1')], ['--definitions', folder]);
});
afterAll(() => server.close());

const communication = (value: string, status = 'completed') => ({
  resourceType: 'Communication',
  identifier: [{ system: 'urn:example:call', value }],
  status,
});
const ifNoneExist = (criteria: string) => ({ 'If-None-Exist': criteria });
const total = async (query: string): Promise<number> =>
  (await server.get(`/Communication?${query}&_summary=count`)).json.total;

describe('a type without attachments', () => {
  it('is created, with what the server sets, and can be read', async () => {
    const created = await post(server, 'Communication', communication('first'));
    expect(created.status).toBe(201);
    expect(created.json.sent).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[45]:00$/);
    const read = await server.get(`/Communication/${created.json.id}`);
    expect(read.text).toBe(created.text);
    expect(read.headers.etag).toBe(created.headers.etag);
    expect(created.headers.location).toBe(`${server.base}/Communication/${created.json.id}/_history/1`);
  });

  it('is not held to references that its definition does not enforce', async () => {
    const body = { ...communication('second'), subject: { reference: 'Patient/none' } };
    expect((await post(server, 'Communication', body)).status).toBe(201);
    const other = { ...communication('third'), subject: { reference: 'Location/1' } };
    const answer = await post(server, 'Communication', other);
    expect([answer.status, issuesOf(answer)]).toEqual([422, ['value Communication.subject.reference']]);
  });

  it('has no parameters but those of the format', async () => {
    const answer = await post(server, 'Communication?nothing=1', communication('parameters'));
    expect([answer.status, answer.json.issue[0].diagnostics]).toEqual([
      400,
      '`POST Communication` creates a record and takes no query, such as `nothing`. A conditional create takes its ' +
        'criteria in the header `If-None-Exist`; a search is `GET Communication?…` or `POST Communication/_search`.',
    ]);
  });

  it('may carry bytes where R4 has them', async () => {
    const body = {
      ...communication('bytes'),
      payload: [{ contentAttachment: { contentType: 'text/plain', data: 'QUJD' } }],
    };
    expect((await post(server, 'Communication', body)).json.payload).toEqual(body.payload);
  });

  it('is as large as any body at most', async () => {
    const body = { ...communication('large'), note: [{ text: 'x'.repeat(1024 * 1024) }] };
    expect((await post(server, 'Communication', body)).status).toBe(413);
    const chunked = { 'Transfer-Encoding': 'chunked' };
    expect((await post(server, 'Communication', body, chunked)).status).toBe(413);
  });
});

// https://hl7.org/fhir/R4/http.html#ccreate
describe('If-None-Exist', () => {
  it('creates where nothing matches, and answers what is there where one does', async () => {
    const condition = ifNoneExist('identifier=urn:example:call|once');
    const created = await post(server, 'Communication', communication('once'), condition);
    expect(created.status).toBe(201);
    const again = await post(server, 'Communication', communication('once', 'unknown'), condition);
    expect(again.status).toBe(200);
    expect(again.text).toBe(created.text);
    for (const name of ['etag', 'last-modified', 'location'] as const) {
      expect(again.headers[name]).toBe(created.headers[name]);
    }
    const minimal = await post(server, 'Communication', communication('once'), {
      ...condition,
      Prefer: 'return=minimal',
    });
    expect([minimal.status, minimal.text]).toEqual([200, '']);
  });

  it('takes a question mark before the criteria, and escapes', async () => {
    const condition = ifNoneExist('?identifier=urn%3Aexample%3Acall%7Conce&status=completed');
    expect((await post(server, 'Communication', communication('once'), condition)).status).toBe(200);
  });

  it('is accepted once: several lines would be read as alternatives', async () => {
    const answer = await server.ask('POST', '/Communication', {
      headers: { 'Content-Type': 'application/fhir+json', 'If-None-Exist': ['identifier=once', 'identifier=other'] },
      body: JSON.stringify(communication('other')),
    });
    expect([answer.status, issuesOf(answer)]).toEqual([400, ['invalid http."If-None-Exist"']]);
  });

  it('is 412 where several match', async () => {
    for (let count = 0; count < 2; count++) await post(server, 'Communication', communication('twice'));
    const answer = await post(server, 'Communication', communication('twice'), ifNoneExist('identifier=twice'));
    expect([answer.status, issuesOf(answer)]).toEqual([412, ['multiple-matches http."If-None-Exist"']]);
    expect(await total('identifier=twice')).toBe(2);
  });

  it.each([
    ['', 'value http."If-None-Exist"'],
    ['?', 'value http."If-None-Exist"'],
    ['identifier=', 'value http."If-None-Exist"'],
    ['identifer=1', 'not-supported http."If-None-Exist"'],
    ['identifier=%', 'value http."If-None-Exist"'],
    ['_count=1', 'value http."If-None-Exist"'],
    ['identifier=1&_sort=status', 'value http."If-None-Exist"'],
    ['_summary:x=1&identifier=1', 'value http."If-None-Exist"'],
  ])('`%s` is 400, also where handling is lenient', async (criteria, issue) => {
    const headers = { ...ifNoneExist(criteria), Prefer: 'handling=lenient' };
    const answer = await post(server, 'Communication', communication('x'), headers);
    expect([answer.status, issuesOf(answer)]).toEqual([400, [issue]]);
  });

  it('is refused where the type is not searched', async () => {
    const answer = await post(server, 'DocumentReference', document(), ifNoneExist('_id=1'));
    expect([answer.status, issuesOf(answer)]).toEqual([400, ['not-supported http."If-None-Exist"']]);
  });

  it('makes one record of fifty that come at once', async () => {
    const condition = ifNoneExist('identifier=urn:example:call|fifty');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(server, 'Communication', communication('fifty'), condition)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter(status => status === 201)).toHaveLength(1);
    expect(statuses.filter(status => status === 200)).toHaveLength(49);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await total('identifier=fifty')).toBe(1);
  });

  it('goes together with an Idempotency-Key: the first answer comes again', async () => {
    const headers = { ...ifNoneExist('identifier=keyed'), 'Idempotency-Key': 'keyed' };
    const send = (): Promise<Answer> => post(server, 'Communication', communication('keyed'), headers);
    const first = await send();
    const second = await send();
    expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
    const other = { ...headers, ...ifNoneExist('identifier=other') };
    expect((await post(server, 'Communication', communication('keyed'), other)).status).toBe(422);
  });
});

const pdf = Buffer.from('%PDF-1.7 …');
const document = (...attachments: object[]) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  content: (attachments.length === 0
    ? [{ contentType: 'application/pdf', data: pdf.toString('base64') }]
    : attachments
  ).map(attachment => ({ attachment })),
});

describe('attachments in an element that repeats', () => {
  it('are all cut out, in their order', async () => {
    const note = Buffer.from('a note');
    const body = document(
      { contentType: 'application/pdf', data: pdf.toString('base64'), title: 'one' },
      { contentType: 'text/plain', url: 'https://example.org/x', title: 'two' },
      { contentType: 'text/plain', data: note.toString('base64'), size: 6, title: 'three' },
    );
    const created = await post(server, 'DocumentReference', body);
    expect(created.status).toBe(201);
    expect(created.json.content).toEqual([
      { attachment: { contentType: 'application/pdf', title: 'one' } },
      { attachment: { contentType: 'text/plain', url: 'https://example.org/x', title: 'two' } },
      { attachment: { contentType: 'text/plain', size: 6, title: 'three' } },
    ]);
    expect((await keptBytes(server, 'DocumentReference')).get(created.json.id)).toEqual([pdf, note]);
    expect((await server.get(`/DocumentReference/${created.json.id}`)).json.content).toEqual(created.json.content);
  });

  it('are reported with their place', async () => {
    const good = { contentType: 'application/pdf', data: pdf.toString('base64') };
    const answer = await post(
      server,
      'DocumentReference',
      document(good, { ...good, size: 1 }, { ...good, data: 'QUJD' }),
    );
    expect([answer.status, issuesOf(answer)]).toEqual([
      422,
      [
        'value DocumentReference.content[1].attachment.size',
        'business-rule DocumentReference.content[2].attachment.data',
      ],
    ]);
    const large = await post(
      server,
      'DocumentReference',
      document({ ...good, data: Buffer.alloc(3_001, 0x25).toString('base64') }),
    );
    expect(large.status).toBe(413);
  });

  it('have a Location without a version where the type has none', async () => {
    const { headers, json } = await post(server, 'DocumentReference', document());
    expect(headers.location).toBe(`${server.base}/DocumentReference/${json.id}`);
    expect(headers.etag).toBeUndefined();
  });
});
