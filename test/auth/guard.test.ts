// https://www.rfc-editor.org/rfc/rfc6750: how a token comes, and what is answered where it is not good or not enough.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../src/observability/log.ts';
import { observation, patient } from '../support/resources.ts';
import { put, putDeleted, serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { clinician, testTokens } from '../support/tokens.ts';
import { cpuTime } from '../support/cpu-time.ts';

const tokens = testTokens();
const lines: string[] = [];
let server: Served;
beforeAll(async () => {
  const log = createLog('info', { write: (text: string) => lines.push(text) });
  const records = [patient('p1'), patient('p2'), ...[1, 2, 3].map(n => observation(`o${n}`))];
  server = await serve(records, ['--body-timeout', '1'], log, { verify: tokens.verify });
  await server.running.engine.store.partitions.add('other', { zone: 'UTC' });
  const other = await server.running.engine.store.partition('other');
  if (other !== undefined) await put(other, [patient('p1')]);
  await putDeleted(server.partition, 'gone');
});
afterAll(() => server.close());

const system = { scope: 'system/*.rs' };

describe('a request without a valid token', () => {
  it.each([
    '/Patient',
    '/Patient/p1',
    '/Patient/nobody',
    '/Nothing',
    '/Media',
    '/',
    '',
    '/_history',
    '/Patient/p1/_history/1',
    '/.well-known/else',
    '/$export',
  ])('is 401 before anything is revealed about %s', async path => {
    const { status, headers, json } = await server.get(path);
    expect([status, headers['www-authenticate']]).toEqual([401, `Bearer realm="${server.base}"`]);
    expect(json).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'login' }] });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('is 401 for %s as well', async method => {
    expect((await server.ask(method, '/Patient/p1')).status).toBe(401);
  });

  it.each([
    ['Bearer unknown', 401, 'invalid_token'],
    ['Bearer', 401, 'invalid_token'],
    ['Bearer a b', 401, 'invalid_token'],
    ['Bearer test.0, Bearer test.1', 401, 'invalid_token'],
    ['Bearer tést', 401, 'invalid_token'],
    ['Bearer "test.0"', 401, 'invalid_token'],
    ['Basic dGVzdDp0ZXN0', 401, undefined],
    ['test.0', 401, undefined],
    ['BearerX test.0', 401, undefined],
    ['', 401, undefined],
  ])('`Authorization: %s` is %i %s', async (header, status, error) => {
    tokens.token(system);
    const answer = await server.get('/Patient', { Authorization: Buffer.from(header).toString('latin1') });
    expect(answer.status).toBe(status);
    expect(/error="(\w+)"/.exec(answer.headers['www-authenticate'] ?? '')?.[1]).toBe(error);
    expect(answer.json.issue[0].code).toBe('login');
  });

  it('takes the scheme in any case', async () => {
    const token = tokens.token(system);
    expect((await server.get('/Patient', { authorization: `bearer ${token}` })).status).toBe(200);
    expect((await server.get('/Patient', { Authorization: `BEARER  ${token}` })).status).toBe(200);
  });

  it('a token of another partition, or an expired one, is 401 whatever the verifier says', async () => {
    expect((await server.get('//r4/other/Patient', tokens.bearer(system))).status).toBe(401);
    expect((await server.get('/Patient', tokens.bearer({ ...system, expires: Date.now() - 1 }))).status).toBe(401);
    expect((await server.get('//r4/nowhere/Patient', tokens.bearer(system))).status).toBe(404);
    const claims = {
      issuer: 'x',
      client: 'app',
      subject: undefined,
      patient: undefined,
      fhirUser: undefined,
      scope: 'system/*.rs',
      partition: 'other',
      expires: Number.MAX_SAFE_INTEGER,
    };
    for (const verify of [() => Promise.resolve(claims), () => claims]) {
      const careless = await serve([patient('p1')], [], undefined, { verify });
      expect((await careless.get('/Patient/p1', { Authorization: 'Bearer any' })).status).toBe(401);
      await careless.close();
    }
  });
});

describe('a token', () => {
  it('in a URL or a form is refused, also beside a good one', async () => {
    const token = tokens.token(system);
    const headers = { Authorization: `Bearer ${token}` };
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const [answer, status] of [
      [await server.get(`/Patient?access_token=${token}`), 400],
      [await server.get(`/Patient?_count=1&access_token=${token}`, headers), 400],
      [await server.get(`/Patient?access%5Ftoken=${token}`), 401],
      [await server.get(`/Patient?access%5Ftoken=${token}`, { ...headers, Prefer: 'handling=lenient' }), 400],
      [await server.get(`/metadata?access_token=${token}`), 400],
      [await server.ask('POST', '/Patient/_search', { headers: { ...form }, body: `access_token=${token}` }), 401],
      [
        await server.ask('POST', '/Patient/_search', {
          headers: { ...form, ...headers },
          body: `access_token=${token}`,
        }),
        400,
      ],
      [await server.get('/Patient', { Cookie: `access_token=${token}`, 'X-Access-Token': token }), 401],
      [await server.get('/Patient', { 'Proxy-Authorization': `Bearer ${token}` }), 401],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(answer.text).not.toContain(token);
      expect(JSON.stringify(answer.headers)).not.toContain(token);
    }
  });

  it('in two headers is refused, whichever is good', async () => {
    const good = `Authorization: Bearer ${tokens.token(system)}`;
    const bad = 'Authorization: Bearer no';
    for (const both of [
      [good, bad],
      [bad, good],
      [good, good.replace('A', 'a')],
    ]) {
      // prettier-ignore
      const answer = await server.raw('GET /r4/demo/Patient HTTP/1.1\r\nHost: a\r\nConnection: ' +
`close\r\n${both.join('\r\n')}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*error="invalid_request"/);
    }
  });

  it('may have 200 scopes, which are read at once, and no more', async () => {
    const scopes = (count: number) => ({
      scope: Array.from({ length: count }, (_, at) => `system/*.rs?_id=p${at}`).join(' '),
    });
    const { status, json } = await server.get('/Patient?_total=accurate', tokens.bearer(scopes(200)));
    expect([status, json.total]).toEqual([200, 2]);
    const time = await cpuTime(async () => {
      const refused = await server.get('/Patient', tokens.bearer(scopes(201)));
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        401,
        `Bearer realm="${server.base}", error="invalid_token", error_description="The token has more than 200 scopes."`,
      ]);
    });
    expect(time).toBeLessThan(1000);
  });

  it('is in no log, nor is a patient', async () => {
    const token = tokens.token({ scope: 'patient/*.rs', patient: 'p1', subject: 'mallory' });
    await server.get('/Patient/p1', { Authorization: `Bearer ${token}` });
    await server.get(`/Patient?access_token=${token}`);
    await expect.poll(() => lines.length).toBeGreaterThan(20);
    expect(lines.join('')).not.toMatch(/test\.\d|p1|mallory|Tremblay/);
  });
});

describe('what is public', () => {
  it('metadata says that tokens are needed, and lists nine types', async () => {
    const { status, json } = await server.get('/metadata', { Authorization: 'Bearer no' });
    expect(status).toBe(200);
    expect(json.rest[0].security.service[0].coding[0].code).toBe('SMART-on-FHIR');
    const types = json.rest[0].resource.map(({ type }: { type: string }) => type);
    expect(types).toHaveLength(9);
    expect(json.rest[0].resource[types.indexOf('Practitioner')].interaction).toEqual([{ code: 'read' }]);
  });

  it('smart-configuration is JSON for every origin, and lists scopes that exist', async () => {
    const { status, headers, json } = await server.get('/.well-known/smart-configuration', { Accept: 'text/html' });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(json.scopes_supported).toContain('system/Observation.rs');
    expect(json.scopes_supported.join(' ')).not.toMatch(/(patient|user)\/Observation/);
    expect(json.code_challenge_methods_supported).toEqual(['S256']);
    expect((await server.ask('POST', '/.well-known/smart-configuration')).status).toBe(405);
    expect((await server.get('//r4/nowhere/.well-known/smart-configuration')).status).toBe(404);
  });

  it('health reveals nothing about records', async () => {
    expect((await server.get('//healthz')).text).toBe('{"status":"ok"}');
  });
});

describe('a deleted record', () => {
  it('is 410 for those who see every record of the type, else 404 as if it had never been', async () => {
    expect((await server.get('/Patient/gone', tokens.bearer(system))).status).toBe(410);
    expect((await server.get('/Patient/gone', tokens.bearer({ ...clinician, scope: 'user/Patient.r' }))).status).toBe(
      410,
    );
    for (const claims of [
      { scope: 'patient/Patient.r', patient: 'gone' },
      { scope: 'patient/Patient.r', patient: 'p1' },
      { scope: 'system/Patient.r?active=true' },
    ]) {
      const gone = await server.get('/Patient/gone', tokens.bearer(claims));
      const never = await server.get('/Patient/never', tokens.bearer(claims));
      expect([gone.status, gone.text.replace('gone', 'never')]).toEqual([404, never.text]);
    }
  });
});

describe('a page token', () => {
  const next = async (claims: object): Promise<string> => {
    const { json } = await server.get('/Observation?_count=1', tokens.bearer(claims));
    return json.link.find(({ relation }: { relation: string }) => relation === 'next').url.slice(server.base.length);
  };

  it('is valid for a new token of the same caller, and for no other caller', async () => {
    const link = await next(system);
    expect((await server.get(link, tokens.bearer(system))).status).toBe(200);
    for (const claims of [
      { ...system, client: 'another' },
      { ...system, subject: 'somebody' },
      { ...system, issuer: 'https://another.example' },
      { ...system, fhirUser: 'Practitioner/dr' },
      { ...system, patient: 'p1' },
      { scope: 'system/Observation.rs' },
      { scope: 'system/Observation.s?code=8302-2' },
    ]) {
      const { status, json } = await server.get(link, tokens.bearer(claims));
      expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('`_page_token` is not valid')]);
    }
  });

  it('of one partition is not good in another', async () => {
    const link = await next(system);
    const { status } = await server.get(`//r4/other${link}`, tokens.bearer({ ...system, partition: 'other' }));
    expect(status).toBe(400);
  });

  it('takes no parameter that would widen it', async () => {
    const link = await next(system);
    for (const more of ['patient=p2', '_page_token=x', 'partition=other', '_type=Patient', 'caller=x']) {
      expect((await server.get(`${link}&${more}`, tokens.bearer(system))).status).toBe(400);
    }
  });
});

describe('a path', () => {
  it.each([
    '/Patient/..%2fPatient%2fp2',
    '/Patient/%2e%2e/Patient/p2',
    '/Patient/p2%00',
    '/Patient/p2%20',
    '/Patient/P2',
    '/Patient/p2/',
    '//r4/demo//Patient/p2',
    '//r4/demo/./Patient/p2',
    '//r4/other/../demo/Patient/p2',
    '//r4/demo%2fother/Patient/p2',
    '//r4/other%2f..%2fdemo/Patient/p2',
    '//R4/demo/Patient/p2',
    '/Patient/p2;x=1',
    '/Patient/p2%2f',
    '/Patient/p1,p2',
  ])('%s never leads a patient token to another', async path => {
    const { status, text } = await server.get(path, tokens.bearer({ scope: 'patient/Patient.rs', patient: 'p1' }));
    expect([400, 401, 404]).toContain(status);
    expect(text).not.toContain('Tremblay');
  });
});

describe('parameters and headers', () => {
  const own = { scope: 'patient/*.rs', patient: 'p1' };
  it.each([
    '_id=p1&_id=p2',
    '_id=p2',
    '_id=p1,p2',
    '_id=p2&patient=p1',
    'name=Tremblay',
    '_id:not=p1',
    'name:missing=false',
    'active:not=false',
    '_id=p1&_id:not=p1',
  ])('Patient?%s finds only the patient', async query => {
    for (const Prefer of ['handling=strict', 'handling=lenient']) {
      const { status, text } = await server.get(`/Patient?${query}&_total=accurate`, { ...tokens.bearer(own), Prefer });
      expect([200, 400]).toContain(status);
      expect(text).not.toMatch(/"id":"p2"|"total":2/);
    }
  });

  it.each([
    { 'X-HTTP-Method-Override': 'DELETE' },
    { 'X-Original-URL': '/r4/demo/Patient/p2' },
    { 'X-Rewrite-URL': '/r4/demo/Patient/p2' },
    { 'X-Forwarded-Prefix': '/r4/other' },
    { 'X-Patient': 'p2' },
    { Forwarded: 'for=127.0.0.1' },
    { 'X-Scope': 'system/*.cruds' },
    { Range: 'bytes=0-' },
  ])('%j changes nothing', async header => {
    const plain = await server.get('/Patient/p1', tokens.bearer(own));
    const answer = await server.get('/Patient/p1', { ...tokens.bearer(own), ...(header as Record<string, string>) });
    expect([answer.status, answer.text]).toEqual([200, plain.text]);
  });
});

describe('bodies', () => {
  const headers = {
    'Content-Type': 'application/fhir+json',
    ...tokens.bearer({ ...clinician, scope: 'user/Media.c' }),
  };
  const create = (body: string | Buffer) => server.ask('POST', '/Media', { headers, body });

  it('without a valid token or scope are not read', async () => {
    const body = Buffer.alloc(3_000_000, '[');
    const plain = { 'Content-Type': 'application/fhir+json' };
    expect((await server.ask('POST', '/Media', { headers: plain, body })).status).toBe(401);
    const without = { ...plain, ...tokens.bearer(system) };
    expect((await server.ask('POST', '/Media', { headers: without, body })).status).toBe(403);
  });

  it.each([
    ['nested deeply', '['.repeat(500_000), 400],
    ['nested objects', '{"a":'.repeat(100_000), 400],
    ['nested extensions', `{"resourceType":"Media","extension":${'[{"extension":'.repeat(50_000)}`, 400],
    ['a long number', `{"resourceType":"Media","height":1${'0'.repeat(500_000)}}`, 400],
    ['oversize', JSON.stringify({ resourceType: 'Media', note: [{ text: 'a'.repeat(3_000_000) }] }), 413],
    ['twice the same name', '{"resourceType":"Media","subject":{"reference":"Patient/p1"},"subject":{}}', 400],
    ['__proto__', '{"resourceType":"Media","__proto__":{"access":"open"}}', 400],
  ])('%s are refused', async (_, body, status) => {
    const time = await cpuTime(async () => expect((await create(body)).status).toBe(status));
    expect(time).toBeLessThan(3_000);
    expect((await server.get('/Patient/p1', tokens.bearer(system))).status).toBe(200);
  });

  it('that come slowly are cut off', async () => {
    const { Authorization } = headers;
    const head =
      `POST /r4/demo/Media HTTP/1.1\r\nHost: a\r\nAuthorization: ${Authorization}\r\nContent-Type: ` +
      'application/fhir+json\r\nContent-Length: 1000\r\n\r\n{';
    expect(await server.raw(head)).toMatch(/^HTTP\/1\.1 408 /);
  });
});
