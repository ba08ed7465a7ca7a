// https://hl7.org/fhir/R4/http.html#create
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inXml } from '../support/in-xml.ts';
import { keptBytes, media, png, post, sha1 } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')]);
});
afterAll(() => server.close());

describe('create', () => {
  it.skipIf(inXml)('answers the whole example of the description, as JSON alone', async () => {
    const before = Date.now();
    const body = {
      resourceType: 'Media',
      status: 'completed',
      type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/media-type', code: 'image' }] },
      subject: { reference: 'Patient/p1' },
      content: { contentType: 'image/jpeg', data: '/9j/4AAQ', title: 'Wound, left arm' },
    };
    const { status, headers, json } = await post(server, 'Media', body, { Accept: 'application/fhir+json' });
    expect(status).toBe(201);
    const { id, meta, createdDateTime } = json;
    expect(json).toEqual({
      resourceType: 'Media',
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      meta: { versionId: '1', lastUpdated: expect.any(String) },
      status: 'completed',
      type: body.type,
      subject: body.subject,
      content: { contentType: 'image/jpeg', title: 'Wound, left arm' },
      // the partition is in Toronto
      createdDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[45]:00$/),
    });
    expect(headers).toMatchObject({
      location: `${server.base}/Media/${id}/_history/1`,
      etag: 'W/"1"',
      'last-modified': new Date(meta.lastUpdated).toUTCString(),
      'content-type': 'application/fhir+json; charset=utf-8',
    });
    for (const time of [createdDateTime, meta.lastUpdated]) {
      expect(Math.abs(Date.parse(time) - before)).toBeLessThan(5_000);
    }
    expect((await keptBytes(server, 'Media')).get(id)).toEqual([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10])]);
    expect((await server.partition.read('Media', id))?.text).toBe(JSON.stringify(json));
  });

  it('ignores id, versionId and lastUpdated, and keeps the rest of meta and the form of numbers', async () => {
    const text =
      '{"resourceType":"Media","id":"mine","duration":1.10,"meta":{"versionId":"7",' +
      '"lastUpdated":"2001-01-01T00:00:00Z","tag":[{"code":"x"}]},"status":"completed",' +
      `"subject":{"reference":"Patient/p1"},"content":{"contentType":"image/png","data":"${png().toString('base64')}"}}`;
    const answer = await post(server, 'Media', text);
    expect(answer.status).toBe(201);
    const { id, meta } = answer.json;
    expect(id).not.toBe('mine');
    expect(meta).toEqual({ versionId: '1', lastUpdated: expect.stringMatching(/^20[2-9]\d/), tag: [{ code: 'x' }] });
    expect(answer.text).toContain('"duration":1.10');
  });

  it('keeps what the client says of when it was made, in any type', async () => {
    const dateTime = await post(server, 'Media', media({ createdDateTime: '2024-05' }));
    expect(dateTime.json.createdDateTime).toBe('2024-05');
    const period = await post(server, 'Media', media({ createdPeriod: { start: '2024' } }));
    expect(period.json).toMatchObject({ createdPeriod: { start: '2024' } });
    expect(period.json).not.toHaveProperty('createdDateTime');
    const unknown = {
      _createdDateTime: {
        extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
      },
    };
    expect((await post(server, 'Media', media(unknown))).json).not.toHaveProperty('createdDateTime');
  });

  it('keeps size and hash where they are right, and the content type with its parameters', async () => {
    const bytes = png(5_000);
    const content = { data: bytes.toString('base64'), size: 5_000, hash: sha1(bytes), contentType: 'Image/PNG; x=y' };
    const { status, json } = await post(server, 'Media', media({}, content));
    expect(status).toBe(201);
    const { data: _, ...rest } = media({}, content).content;
    expect(json.content).toEqual(rest);
    expect((await keptBytes(server, 'Media')).get(json.id)).toEqual([bytes]);
  });

  it.each([
    ['application/fhir+json'],
    ['application/json'],
    ['application/fhir+json; charset=UTF-8'],
    ['application/json;charset="utf-8"'],
    ['Application/FHIR+JSON; fhirVersion=4.0'],
  ])('takes Content-Type %s', async type => {
    expect((await post(server, 'Media', media(), { 'Content-Type': type })).status).toBe(201);
  });

  it('gives a reference within the URL of the server the same meaning', async () => {
    const { status } = await post(server, 'Media', media({ subject: { reference: `${server.base}/Patient/p1` } }));
    expect(status).toBe(201);
  });

  it.skipIf(inXml)(
    'pretty prints, and answers JSON under its plain name, where that is asked for, as JSON alone',
    async () => {
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
      const answer = await server.ask('POST', '/Media?_pretty=true', { headers, body: JSON.stringify(media()) });
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.text).toMatch(/^\{\n {2}"resourceType": "Media",\n/);
    },
  );

  it('takes a body in chunks, and one after 100-continue', async () => {
    const body = JSON.stringify(media());
    const fields = 'Host: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n';
    const head = `POST /r4/demo/Media HTTP/1.1\r\n${fields}`;
    const parts = [body.slice(0, 20), body.slice(20)]
      .map(part => `${part.length.toString(16)}\r\n${part}\r\n`)
      .join('');
    expect(await server.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${parts}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 201 /);
    const expecting = await server.raw(
      `${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
      socket => socket.once('data', () => socket.write(body)),
    );
    expect(expecting).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  describe('Prefer', () => {
    it('return=minimal leaves the body away', async () => {
      const { status, headers, text } = await post(server, 'Media', media(), { Prefer: 'return=minimal' });
      expect([status, text, headers['content-length']]).toEqual([201, '', '0']);
      expect(headers.location).toContain('/Media/');
      expect(headers.etag).toBe('W/"1"');
    });

    it('return=OperationOutcome returns an outcome', async () => {
      const { status, json } = await post(server, 'Media', media(), { Prefer: 'return=OperationOutcome' });
      expect(status).toBe(201);
      expect(json.issue[0]).toMatchObject({ severity: 'information', diagnostics: expect.stringContaining('created') });
    });

    it.each([
      ['return=representation'],
      ['return=presentation'],
      ['respond-async'],
      ['handling=lenient; return="representation"'],
    ])('%s gives the record', async prefer => {
      const { status, json } = await post(server, 'Media', media(), { Prefer: prefer });
      expect([status, json.resourceType]).toEqual([201, 'Media']);
    });
  });
});

describe('a reference to a type that is not declared', () => {
  it('passes, since what it names is kept elsewhere', async () => {
    const operator = { reference: 'Practitioner/elsewhere' };
    const { status, json } = await post(server, 'Media', media({ operator }));
    expect([status, json.operator]).toEqual([201, operator]);
  });
});

describe('metadata', () => {
  it('returns the limits of attachments', async () => {
    const { json } = await server.get('/metadata');
    const { documentation, referencePolicy, interaction } = json.rest[0].resource.find(
      ({ type }: { type: string }) => type === 'Media',
    );
    expect(interaction).toEqual([{ code: 'create' }]);
    expect(referencePolicy).toEqual(['literal', 'local', 'enforced']);
    expect(documentation).toContain('`Media.content.data`');
    expect(documentation).toContain('20971520 bytes');
    expect(documentation).toContain('image/jpeg');
  });
});
