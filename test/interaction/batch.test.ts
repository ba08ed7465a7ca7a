// https://hl7.org/fhir/R4/http.html#transaction: a batch over HTTP, whose entries are requests of their own.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AuditEntry } from '../../src/store/audit/line.ts';
import { readEvents } from '../../src/audit/read-events.ts';
import { createBatch } from '../../src/interaction/bundle/batch.ts';
import { dispatch } from '../../src/interaction/dispatch.ts';
import { auditOf } from '../support/audit-of.ts';
import { post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve, type Answer, type Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const folder = join(import.meta.dirname, '../fixtures/created-types');
const guarded = join(import.meta.dirname, '../fixtures/guarded');

let server: Served;
beforeAll(async () => {
  const limits = ['--max-bundle-entries', '1000', '--max-bundle', '33554432'];
  server = await serve([patient('p1'), patient('p2')], ['--definitions', folder, ...limits]);
}, 60_000);
afterAll(() => server.close());

const call = (value: string, status = 'completed') => ({
  resourceType: 'Communication',
  identifier: [{ system: 'urn:example:call', value }],
  status,
});
const get = (url: string, more: object = {}): object => ({ request: { method: 'GET', url, ...more } });
const create = (resource: object, more: object = {}): object => ({
  resource,
  request: { method: 'POST', url: 'Communication', ...more },
});
const batch = (...entry: readonly object[]): object => ({
  resourceType: 'Bundle',
  type: 'batch',
  ...(entry.length === 0 ? {} : { entry }),
});
const send = (body: object | string, headers: Record<string, string> = {}, to = server): Promise<Answer> =>
  to.ask('POST', '', {
    headers: { 'Content-Type': 'application/fhir+json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
type Failed = { response: { status: string; outcome: { issue: { expression: readonly string[] }[] } } };
const statuses = ({ json }: Answer): readonly string[] =>
  (json.entry ?? [{ response: { status: JSON.stringify(json) } }]).map(
    ({ response }: { response: { status: string } }) => response.status,
  );

describe('a batch', () => {
  it('answers each entry in the order of the entries', async () => {
    const answer = await send(
      batch(get('Patient/p1'), create(call('one')), get('Patient/none'), get('Patient?_id=p1,p2&_sort=_id')),
    );
    expect([answer.status, answer.json.type, statuses(answer)]).toEqual([
      200,
      'batch-response',
      ['200', '201', '404', '200'],
    ]);
    const [read, created, missing, found] = answer.json.entry;
    expect(read).toMatchObject({ fullUrl: `${server.base}/Patient/p1`, resource: { id: 'p1' } });
    expect(read.response.etag).toBe('W/"1"');
    expect(created.fullUrl).toBe(`${server.base}/Communication/${created.resource.id}`);
    expect(created.response).toMatchObject({
      location: `${created.fullUrl}/_history/1`,
      etag: 'W/"1"',
      lastModified: created.resource.meta.lastUpdated,
    });
    expect(missing).toEqual({
      response: { status: '404', outcome: expect.objectContaining({ issue: [expect.anything()] }) },
    });
    expect(found.resource.entry.map((entry: { resource: { id: string } }) => entry.resource.id)).toEqual(['p1', 'p2']);
    expect((await server.get(`/Communication/${created.resource.id}`)).text).toBe(JSON.stringify(created.resource));
  });

  it('takes no Idempotency-Key, which would repeat none of its entries', async () => {
    const answer = await send(batch(create(call('key'))), { 'Idempotency-Key': 'k' });
    const [issue] = answer.json.issue;
    expect([answer.status, issue.code, issue.expression]).toEqual([400, 'not-supported', ['http."Idempotency-Key"']]);
    expect((await server.get('/Communication?identifier=key')).json.entry).toBeUndefined();
  });

  it('creates before it reads, as R4 orders the methods', async () => {
    const answer = await send(batch(get('Communication?identifier=order'), create(call('order'))));
    expect(answer.json.entry[0].resource.entry).toHaveLength(1);
  });

  it('accepts absolute URLs below the base, a slash before a path, and HEAD', async () => {
    const head = { request: { method: 'HEAD', url: 'Patient/p1' } };
    const answer = await send(batch(get(`${server.base}/Patient/p1`), get('/Patient/p1'), get('metadata'), head));
    expect(statuses(answer)).toEqual(['200', '200', '200', '200']);
    expect(answer.json.entry[3].resource).toBeUndefined();
  });

  it('keeps the digits of decimals', async () => {
    const text = JSON.stringify(batch(create({ ...call('digits'), extension: [{ url: 'urn:x', valueDecimal: 0 }] })));
    const answer = await send(text.replace('"valueDecimal":0', '"valueDecimal":1.2300'));
    expect([statuses(answer), answer.text.includes('"valueDecimal":1.2300')]).toEqual([['201'], true]);
  });

  it('takes conditions from the entries, and preferences from its own headers', async () => {
    const ifNoneExist = { ifNoneExist: 'identifier=urn:example:call|once' };
    const answer = await send(batch(create(call('once'), ifNoneExist)), { Prefer: 'return=minimal' });
    expect([statuses(answer), answer.json.entry[0].resource]).toEqual([['201'], undefined]);
    const again = await send(batch(create(call('once'), ifNoneExist), get('Patient/p1', { ifNoneMatch: 'W/"1"' })));
    expect(statuses(again)).toEqual(['200', '304']);
    const since = new Date(Date.now() + 60_000).toISOString();
    expect(statuses(await send(batch(get('Patient/p1', { ifModifiedSince: since }))))).toEqual(['304']);
  });

  it('names the element of a condition that is not valid', async () => {
    const criteria = ['identifer=1', '_count=1', ''];
    const answer = await send(batch(...criteria.map(ifNoneExist => create(call('x'), { ifNoneExist }))));
    expect(statuses(answer)).toEqual(['400', '400', '400']);
    const places = (answer.json.entry as Failed[]).map(({ response }) => response.outcome.issue[0]?.expression);
    expect(places).toEqual([0, 1, 2].map(at => [`Bundle.entry[${at}].request.ifNoneExist`]));
  });

  it('continues after an entry that is refused', async () => {
    const answer = await send(
      batch(
        get('Nothing/1'),
        { request: { method: 'DELETE', url: 'Patient/p1' } },
        get('Patient?unknown=1'),
        create({ resourceType: 'Communication' }),
        create(call('x'), { url: 'Patient' }),
        get('/'),
        get('../other/Patient/p1'),
        get('http://elsewhere.example/Patient/p1'),
        { resource: call('x') },
        { request: { method: 'POST', url: '/' }, resource: batch() },
        { ...get('Patient/p2'), more: 1 },
        get('Patient/p2'),
      ),
      { Prefer: 'handling=strict' },
    );
    expect(statuses(answer)).toEqual([
      '404',
      '405',
      '400',
      '400',
      '405',
      '405',
      '404',
      '404',
      '400',
      '404',
      '400',
      '200',
    ]);
    expect(answer.json.entry[8].response.outcome.issue[0].expression).toEqual(['Bundle.entry[8].request.method']);
  });

  it('names the place of a resource that an entry to write does not have', async () => {
    const without = (method: string, url: string): object => ({ request: { method, url } });
    const answer = await send(batch(without('POST', 'Communication'), without('POST', 'Patient')));
    expect(statuses(answer)).toEqual(['400', '405']);
    expect(answer.json.entry[0].response.outcome.issue).toEqual([
      {
        severity: 'error',
        code: 'required',
        diagnostics: 'The entry has no `resource`: add the one to write.',
        expression: ['Bundle.entry[0].resource'],
      },
    ]);
  });

  it('names the place of each error in the Bundle', async () => {
    const answer = await send(
      batch(
        create({ ...call('x'), more: 1 }),
        get('Nothing/1'),
        get('Patient/none'),
        get('Patient?unknown=1'),
        get('Patient?name=%zz'),
        get('http://elsewhere.example/Patient/p1'),
        { request: { method: 'DELETE', url: 'Patient/p1' } },
        { request: { method: 'get', url: 'Patient/p1' } },
        { request: { method: 'POST', url: 'Patient/_search' }, resource: { resourceType: 'Parameters' } },
        { request: { method: 'PUT', url: 'Communication' }, resource: call('x') },
        create(call('x'), { ifNoneExist: 'identifier=%ff' }),
        { ...get('Patient/p1'), fullUrl: 'http://elsewhere.example/Patient/p1/_history/1' },
      ),
      { Prefer: 'handling=strict' },
    );
    const places = answer.json.entry.map(({ response: { status, outcome } }: Failed, at: number) => {
      const [expression = ''] = outcome.issue[0]?.expression ?? [];
      return [status, expression.replace(`Bundle.entry[${at}].`, '')];
    });
    expect(places).toEqual([
      ['400', 'resource.more'],
      ['404', 'request.url'],
      ['404', 'request.url'],
      ['400', 'request.url'],
      ['400', 'request.url'],
      ['404', 'request.url'],
      ['405', 'request.method'],
      ['400', 'request.method'],
      ['400', 'resource'],
      ['405', 'request.method'],
      ['400', 'request.ifNoneExist'],
      ['400', 'fullUrl'],
    ]);
    expect(answer.json.entry[10].response.outcome.issue[0].diagnostics).toMatch(/^The percent-escapes are not UTF-8/);
  });

  it('may have no entries', async () => {
    expect((await send(batch())).json).toEqual({ resourceType: 'Bundle', type: 'batch-response' });
  });

  it.each([
    ['a transaction', { resourceType: 'Bundle', type: 'transaction' }, 'Transactions are not supported'],
    ['another Bundle', { resourceType: 'Bundle', type: 'collection' }, 'The body is not a batch'],
    ['another resource', patient('p1'), 'The body is not a batch'],
    ['an unknown element', { ...batch(get('Patient/p1')), more: 1 }, 'more'],
    ['a list of something else', { ...batch(), entry: [1] }, 'must be a list of objects'],
    ['an empty list', { ...batch(), entry: [] }, 'not empty, or be omitted'],
    ['the result of a search', { ...batch(get('Patient/p1')), total: 1 }, 'omit it (bdl-1)'],
    ['too many entries', batch(...Array<object>(1001).fill(get('Patient/p1'))), 'more than 1000 entries'],
    ['no JSON', '{', 'The body is not valid FHIR JSON'],
  ])('is refused as %s', async (_, body, text) => {
    const { status, json } = await send(body);
    expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining(text)]);
  });

  it('is refused with another content type, and if it is too large', async () => {
    expect((await send(batch(), { 'Content-Type': 'text/plain' })).status).toBe(415);
    const tooLarge = await send(batch(create({ ...call('l'), note: [{ text: 'x'.repeat(17 * 1024 * 1024) }] })));
    const [{ response }] = tooLarge.json.entry;
    expect([response.status, response.outcome.issue[0].expression]).toEqual(['413', ['Bundle.entry[0].resource']]);
    const around = await send({ ...batch(get('Patient/p1')), identifier: { value: 'x'.repeat(2 * 1024 * 1024) } });
    expect([around.status, around.json.issue[0].expression]).toEqual([413, ['Bundle']]);
    expect((await send(' '.repeat(48 * 1024 * 1024))).status).toBe(413);
    const large = create({ ...call('l'), note: [{ text: 'x'.repeat(2 * 1024 * 1024) }] });
    expect(statuses(await send(batch(large, get('Patient/p1'))))).toEqual(['413', '200']);
  });

  it('begins no entry after a minute', async () => {
    const { engine } = server.running;
    let now = Date.now();
    const slow = createBatch((...of) => {
      now += 40_000;
      return dispatch(...of);
    });
    const body = Buffer.from(JSON.stringify(batch(get('Patient/p1'), get('Patient/p1'), get('Patient/p1'))));
    const request = {
      interaction: 'batch',
      requestId: 'slow',
      address: '',
      access: 'open',
      method: 'POST',
      partition: server.partition,
      base: server.base,
      parameters: [],
      headers: {},
      handling: 'usual',
      body,
    } as const;
    const { body: text = '' } = await slow({ ...engine, now: () => now }, request, server.partition);
    const { entry } = JSON.parse(text) as { entry: { response: { status: string } }[] };
    expect(entry.map(({ response }) => response.status)).toEqual(['200', '200', '503']);
  });
});

describe('the entries of a batch', () => {
  const tokens = testTokens();
  let closed: Served;
  beforeAll(async () => {
    closed = await serve([patient('p1'), patient('p2')], ['--definitions', guarded], undefined, {
      verify: tokens.verify,
    });
  }, 60_000);
  afterAll(() => closed.close());

  it('each need their scope, and show what the caller may see', async () => {
    const headers = tokens.bearer({ scope: 'patient/Patient.rs', client: 'phone', patient: 'p1' });
    const answer = await send(
      batch(get('Patient/p1'), get('Patient/p2'), get('Patient'), get('Condition'), create(call('x'))),
      headers,
      closed,
    );
    expect(statuses(answer)).toEqual(['200', '404', '200', '403', '403']);
    const without = { request: { method: 'POST', url: 'Communication' } };
    expect(statuses(await send(batch(without), headers, closed))).toEqual(['403']);
    expect(answer.json.entry[2].resource.entry).toHaveLength(1);
    expect((await send(batch(), {}, closed)).status).toBe(401);
  });

  it('return the OperationOutcome of an operation as a resource, that of a failure as an outcome', async () => {
    const validate = (resource: object): object => ({
      resource,
      request: { method: 'POST', url: 'Patient/$validate' },
    });
    const outOfScope = { resource: call('x'), request: { method: 'POST', url: 'Communication/$validate' } };
    const headers = tokens.bearer({ scope: 'system/Patient.rs', client: 'backend' });
    const answer = await send(batch(validate(patient('p3')), outOfScope), headers, closed);
    expect(answer.json.entry).toEqual([
      { resource: expect.objectContaining({ resourceType: 'OperationOutcome' }), response: { status: '200' } },
      { response: { status: '403', outcome: expect.objectContaining({ resourceType: 'OperationOutcome' }) } },
    ]);
  });

  it('each have an audit event, with the patients of their records', async () => {
    const headers = {
      ...tokens.bearer({ scope: 'system/*.cruds', client: 'backend' }),
      'X-Request-Id': 'batch-with-events',
    };
    const without = { request: { method: 'POST', url: 'Communication' } };
    const entries = [get('Patient/p1'), get('Patient?_id=p2'), get('Nothing/1'), get('Condition/none'), without];
    expect(statuses(await send(batch(...entries), headers, closed))).toEqual(['200', '200', '404', '404', '400']);
    const events = await vi.waitFor(
      async () => {
        const found: AuditEntry[] = [];
        for await (const entry of readEvents(auditOf(closed.running.engine.store)))
          if (entry.text.includes('"batch-with-events"')) found.push(entry);
        expect(found).toHaveLength(6);
        return found.map(({ text, patients }) => [JSON.parse(text).subtype?.[0].code, patients.toSorted()]);
      },
      { timeout: 20_000 },
    );
    expect(events.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual([
      [undefined, []],
      ['batch', []],
      ['create', []],
      ['read', []],
      ['read', ['p1']],
      ['search-type', ['p2']],
    ]);
  });

  it('are declared in the CapabilityStatement', async () => {
    const { json } = await closed.get('/metadata');
    expect(json.rest[0].interaction).toContainEqual({ code: 'batch' });
    expect((await post(closed, 'Patient', patient('p9'))).status).toBe(401);
  });
});
