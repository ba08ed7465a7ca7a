// https://hl7.org/fhir/R4/http.html#vread and https://hl7.org/fhir/R4/http.html#history
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import type { Change } from '../../src/store/port/records.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const tokens = testTokens();
let clock = Date.UTC(2026, 0, 1);
let server: Served;
let headers: Record<string, string>;

const communication = (id: string, note: string, subject = 'p1'): Change => {
  const text = JSON.stringify({
    resourceType: 'Communication',
    status: 'completed',
    subject: { reference: `Patient/${subject}` },
    note: [{ text: note }],
  });
  return { kind: 'put', type: 'Communication', id, text: splitForStamp(text, id) };
};
const remove = (id: string): Change => ({ kind: 'remove', type: 'Communication', id });

/** A second later each. */
async function write(...changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    clock += 1_000;
    await server.partition.write([change]);
  }
}

const authorized = (scope: string, patientId?: string): Record<string, string> => {
  const claims = { partition: 'demo', scope, patient: patientId, expires: Number.MAX_SAFE_INTEGER };
  return { Authorization: `Bearer ${tokens.token(claims)}` };
};

beforeAll(async () => {
  const folder = join(import.meta.dirname, '../fixtures/versioned');
  const parts = { verify: tokens.verify, now: () => clock };
  server = await serve([patient('p1'), patient('p2')], ['--definitions', folder], undefined, parts);
  headers = authorized('system/*.cruds');
  await write(communication('a', 'one'), communication('b', 'one'), communication('a', 'two'));
  await write(remove('b'), communication('a', 'three'), communication('moved', 'one', 'p2'));
  await write(communication('moved', 'two', 'p1'), communication('gone', 'one'), communication('gone', 'two', 'p2'));
});
afterAll(() => server.close());

const get = (path: string, of = headers): Promise<Answer> => server.get(path, of);
const noteOf = ({ json }: Answer): string => json.note[0].text;

describe('vread', () => {
  it('gives each version, with its own ETag and time', async () => {
    for (const [version, note] of [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ] as const) {
      const answer = await get(`/Communication/a/_history/${version}`);
      expect([answer.status, noteOf(answer), answer.headers.etag]).toEqual([200, note, `W/"${version}"`]);
      expect(answer.json.meta.versionId).toBe(String(version));
      expect(Date.parse(answer.headers['last-modified'] ?? '')).toBe(Date.parse(answer.json.meta.lastUpdated));
    }
    const current = await get('/Communication/a');
    expect((await get('/Communication/a/_history/3')).text).toBe(current.text);
  });

  it.each([
    ['a version that never existed', 'a/_history/4', 404, 'not-found', 'Communication/a has no version `4`.'],
    ['a version that is no number', 'a/_history/x', 404, 'not-found', 'Communication/a has no version `x`.'],
    ['a record that never existed', 'none/_history/1', 404, 'not-found', 'No Communication has the id `none`.'],
    ['the version of the deletion', 'b/_history/2', 410, 'deleted', 'The Communication with the id `b` was deleted.'],
  ])('answers %s', async (_, path, status, code, text) => {
    const answer = await get(`/Communication/${path}`);
    expect([answer.status, answer.json.issue[0].code, answer.json.issue[0].diagnostics]).toEqual([status, code, text]);
  });

  it('gives the versions before a deletion', async () => {
    expect(noteOf(await get('/Communication/b/_history/1'))).toBe('one');
  });

  it('answers 304, shapes the answer, and has no answer to other parameters, as a read', async () => {
    const path = '/Communication/a/_history/2';
    expect((await get(path, { ...headers, 'If-None-Match': 'W/"2"' })).status).toBe(304);
    expect((await get(path, { ...headers, 'If-None-Match': 'W/"3"' })).status).toBe(200);
    expect((await get(`${path}?_elements=status`)).json.note).toBeUndefined();
    expect((await get(`${path}?_count=1`)).status).toBe(400);
    const head = await server.ask('HEAD', path, { headers });
    expect([head.status, head.headers.etag, head.text]).toEqual([200, 'W/"2"', '']);
  });

  it('gives the current version alone if the type does not declare `readHistory`', async () => {
    const group = (quantity: number): Change => {
      const text = JSON.stringify({ resourceType: 'Group', type: 'person', actual: true, quantity });
      return { kind: 'put', type: 'Group', id: 'g', text: splitForStamp(text, 'g') };
    };
    await write(group(1), group(2));
    expect((await get('/Group/g/_history/2')).json.quantity).toBe(2);
    expect((await get('/Group/g/_history/1')).status).toBe(404);
    const { json } = await server.get('/metadata');
    const resources = json.rest[0].resource as { type: string; readHistory?: boolean }[];
    const declared = resources.map(one => [one.type, one.readHistory]);
    expect(declared).toEqual(
      expect.arrayContaining([
        ['Group', false],
        ['Communication', true],
        ['Observation', undefined],
      ]),
    );
  });

  it('a deleted record is 410 with the ETag of its last version', async () => {
    const answer = await get('/Communication/b');
    expect([answer.status, answer.headers.etag]).toEqual([410, 'W/"2"']);
  });
});

interface Entry {
  readonly fullUrl: string;
  readonly resource?: { readonly id: string; readonly resourceType: string; readonly meta: { versionId: string } };
  readonly request: { readonly method: string; readonly url: string };
  readonly response: { readonly status: string; readonly etag: string; readonly lastModified: string };
}
const named = ({ json }: Answer): readonly string[] =>
  ((json.entry ?? []) as Entry[]).map(({ request, response }) => {
    const version = response.etag.slice(3, -1);
    return `${request.method} ${request.url} ${version}`;
  });
const linkOf = ({ json }: Answer, relation: string): string | undefined =>
  (json.link as { relation: string; url: string }[]).find(one => one.relation === relation)?.url;

/** All pages of a history. */
async function pages(path: string, of = headers): Promise<readonly (readonly string[])[]> {
  const found: (readonly string[])[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer: Answer = await get(next, of);
    expect(answer.status).toBe(200);
    found.push(named(answer));
    next = linkOf(answer, 'next')?.slice(server.base.length);
  }
  return found;
}

const a = ['PUT Communication/a 3', 'PUT Communication/a 2', 'POST Communication 1'];

describe('history', () => {
  it('of a record has its versions, newest first, whole', async () => {
    const answer = await get('/Communication/a/_history');
    const { json } = answer;
    expect([json.resourceType, json.type, json.total]).toEqual(['Bundle', 'history', undefined]);
    expect(linkOf(answer, 'self')).toBe(`${server.base}/Communication/a/_history`);
    const stored = await get('/Communication/a/_history/2');
    expect(json.entry[1]).toEqual({
      fullUrl: `${server.base}/Communication/a`,
      resource: stored.json,
      request: { method: 'PUT', url: 'Communication/a' },
      response: { status: '200', etag: 'W/"2"', lastModified: stored.json.meta.lastUpdated },
    });
    expect(named(answer)).toEqual(a);
  });

  it('of a record has its deletion as an entry without a resource', async () => {
    const answer = await get('/Communication/b/_history');
    expect(named(answer)).toEqual(['DELETE Communication/b 2', 'POST Communication 1']);
    expect(answer.json.entry[0].resource).toBeUndefined();
    expect(answer.json.entry[0].response.status).toBe('204');
    expect((await get('/Communication/none/_history')).status).toBe(404);
  });

  it('of a type and of the system has the versions of all their records', async () => {
    const type = (await pages('/Communication/_history')).flat();
    expect(type).toHaveLength(9);
    expect(type.slice(0, 2)).toEqual(['PUT Communication/gone 2', 'POST Communication 1']);
    const system = (await pages('/_history')).flat();
    expect(system.filter(one => one.includes('Communication'))).toEqual(type);
    expect(system.filter(one => one.startsWith('POST Patient'))).toHaveLength(2);
  });

  it.each([1, 2, 4])('has pages of %i, which follow each other in either order', async count => {
    for (const path of ['/Communication/a/_history', '/Communication/_history', '/_history']) {
      const [all = []] = await pages(path);
      const newest = await pages(`${path}?_count=${count}`);
      expect(newest.flat()).toEqual(all);
      expect(newest.slice(0, -1).every(page => page.length === count)).toBe(true);
      const oldest = await pages(`${path}?_sort=_lastUpdated&_count=${count}`);
      expect(oldest.flat()).toEqual(all.toReversed());
    }
  });

  it('a next link may change its `_count` alone, and belongs to its path', async () => {
    const first = await get('/Communication/_history?_count=2&_since=2020-01-01');
    expect(linkOf(first, 'self')).toBe(`${server.base}/Communication/_history?_count=2&_since=2020-01-01`);
    const next = linkOf(first, 'next')?.slice(server.base.length) ?? '';
    expect(named(await get(`${next}&_count=3`))).toHaveLength(3);
    expect((await get(`${next}&_since=2020`)).status).toBe(400);
    expect((await get(next.replace('/Communication/', '/Patient/'))).status).toBe(400);
    expect((await get(next, authorized('system/Communication.s'))).status).toBe(400);
  });

  it('`_since` and `_at` choose versions by their times', async () => {
    const time = async (path: string): Promise<string> => (await get(path)).json.meta.lastUpdated;
    const second = await time('/Communication/a/_history/2');
    const of = async (query: string) => named(await get(`/Communication/a/_history?${query}`));
    expect(await of(`_since=${second}`)).toEqual(a.slice(0, 2));
    expect(await of(`_at=${second}`)).toEqual(a.slice(1, 2));
    const later = new Date(Date.parse(second) + 500).toISOString();
    expect(await of(`_at=${later}`)).toEqual(a.slice(1, 2)); // current then
    expect(await of(`_since=${later}`)).toEqual(a.slice(0, 1));
    expect(await of('_at=2025-12-31')).toEqual(a); // of the partition's zone
    expect(await of('_at=2027')).toEqual(a.slice(0, 1));
    expect(await of('_at=2024')).toEqual([]);
    const whole = await get('/Communication/_history?_at=2027');
    expect(named(whole)).toEqual(['PUT Communication/gone 2', 'PUT Communication/moved 2', 'PUT Communication/a 3']);
  });

  it.each([
    ['_count=0', '_count'],
    ['_count=x', '_count'],
    ['_since=yesterday', '_since'],
    ['_at=2026-13', '_at'],
    ['_sort=status', '_sort'],
    ['_since=2020&_since=2021', '_since'],
    ['status=completed', 'status'],
    ['_page_token=x', '_page_token'],
  ])('rejects `%s`, and names the parameter', async (query, name) => {
    const answer = await get(`/Communication/a/_history?${query}`);
    expect([answer.status, answer.json.issue[0].expression]).toEqual([400, [`http.${name}`]]);
  });

  it('ignores unknown parameters if the client is lenient', async () => {
    const lenient = { ...headers, Prefer: 'handling=lenient' };
    expect(named(await get('/Communication/a/_history?status=completed', lenient))).toEqual(a);
  });
});

describe('a caller who may not see every record', () => {
  const ofPatient = (id: string) => authorized('patient/Communication.rs', id);

  it('sees the history of the records that it may see now, without the versions of another patient', async () => {
    const seen = (await pages('/Communication/_history?_count=2', ofPatient('p1'))).flat();
    expect(seen).toEqual(['PUT Communication/moved 2', ...a]);
    expect((await pages('/_history?_count=1', ofPatient('p1'))).flat()).toEqual(seen);
    expect((await pages('/Communication/_history', ofPatient('p2'))).flat()).toEqual(['PUT Communication/gone 2']);
    expect((await pages('/Communication/_history', ofPatient('p3'))).flat()).toEqual([]);
  });

  it('finds no version of a record that it may not see any more, nor of a deleted one', async () => {
    const one = ofPatient('p1');
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async path => (await get(`/Communication/${path}`, one)).status));
    expect(await statuses('gone/_history/1', 'gone/_history', 'gone')).toEqual([404, 404, 404]);
    expect(await statuses('b/_history/1', 'b/_history', 'b')).toEqual([404, 404, 404]);
    expect(await statuses('moved/_history/1', 'moved/_history/2', 'moved/_history')).toEqual([404, 200, 200]);
    expect((await get('/Communication/gone/_history/1', one)).text).toBe(
      (await get('/Communication/none/_history/1', one)).text.replaceAll('none', 'gone'),
    );
  });

  it.each([
    ['/Communication/a/_history/1', 'system/Communication.s', 403],
    ['/Communication/a/_history/1', 'system/Communication.r', 200],
    ['/Communication/a/_history', 'system/Communication.s', 403],
    ['/Communication/a/_history', 'system/Communication.r', 200],
    ['/Communication/_history', 'system/Communication.r', 403],
    ['/Communication/_history', 'system/Communication.s', 200],
    ['/_history', 'system/Communication.r', 403],
    ['/_history', 'system/Communication.s', 200],
  ])('GET %s with %s is %i', async (path, scope, status) => {
    expect((await get(path, authorized(scope))).status).toBe(status);
  });

  it('sees the versions of the types alone for which it has a scope', async () => {
    const seen = (await pages('/_history', authorized('system/Patient.s'))).flat();
    expect(seen).toEqual(['POST Patient 1', 'POST Patient 1']);
  });

  it('sees the same where more records are visible than are named to the store', async () => {
    const many = Array.from({ length: 2_001 }, (_, at) => communication(`many-${at}`, 'one', 'p4'));
    clock += 1_000;
    await server.partition.write([...many, communication('other', 'one', 'p5')], { unit: 'each' });
    const found = await pages('/Communication/_history?_count=1000', ofPatient('p4'));
    expect(found.map(page => page.length)).toEqual([1_000, 1_000, 1]);
  });
});

it('entries of a batch may ask for versions', async () => {
  const asked = ['Communication/a/_history/2', 'Communication/a/_history?_count=1', '_history?_count=1'];
  const body = JSON.stringify({
    resourceType: 'Bundle',
    type: 'batch',
    entry: asked.map(url => ({ request: { method: 'GET', url } })),
  });
  const sent = { headers: { ...headers, 'Content-Type': 'application/fhir+json' }, body };
  const { json } = await server.ask('POST', '', sent);
  expect((json.entry as Entry[]).map(({ response }) => response.status)).toEqual(['200', '200', '200']);
  expect(json.entry[0].fullUrl).toBe(`${server.base}/Communication/a`);
  expect(json.entry[1].resource.type).toBe('history');
});
