// Answers are bounded in bytes: pages, Bundles, and all answers of a process together.
import { get as httpGet } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setImmediate } from 'node:timers/promises';
import { longestAnswer, readInRoom } from '../../src/interaction/answer-room.ts';
import { createAnswerRooms } from '../../src/http/connection/places.ts';
import { mostPageText } from '../../src/store/port/pages.ts';
import { inXml } from '../support/in-xml.ts';
import { r4Of } from '../support/r4-of.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

/** Requests, or entries of a Bundle, that others are answered beside. */
const many = process.env['CRS_TEST_LONG'] === undefined ? 40 : 100;
const count = 40;
const ids = Array.from({ length: count }, (_, at) => `d${String(at).padStart(2, '0')}`);
const long = 'x'.repeat(900_000);
const document = (id: string, at: number) => ({
  resourceType: 'DocumentReference',
  id,
  status: 'current',
  subject: { reference: 'Patient/p' },
  description: long,
  date: `2026-01-${String((at % 28) + 1).padStart(2, '0')}T00:00:00Z`,
  content: [{ attachment: { url: `urn:${id}` } }],
});

let server: Served;
beforeAll(async () => {
  const capability = r4Of(['DocumentReference', 'Patient', 'Media']);
  const patient = { resourceType: 'Patient', id: 'p', name: [{ family: 'Roy' }] };
  const list = { resourceType: 'List', id: 'l', status: 'current', mode: 'working' };
  const entry = ids.map(id => ({ item: { reference: `DocumentReference/${id}` } }));
  server = await serve([patient, ...ids.map(document), { ...list, entry }], ['--capability', capability]);
}, 120_000);
afterAll(() => server.close());

/** The status of an answer that is received, and not looked at. */
const statusOf = (path: string, accept = inXml ? 'application/fhir+xml' : 'application/fhir+json'): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { port: server.running.port, host: '127.0.0.1', path: `/r4/demo${path}`, headers: { accept } };
    const request = httpGet(options, response =>
      response
        .on('error', reject)
        .on('end', () => resolve(response.statusCode ?? 0))
        .resume(),
    );
    request.on('error', reject);
  });

interface Entry {
  readonly resource: { readonly resourceType: string; readonly id: string };
  readonly search?: { readonly mode: string };
  readonly response?: { readonly status: string; readonly outcome?: { issue: { code: string }[] } };
}
const entriesOf = ({ json }: Answer): readonly Entry[] => json.entry ?? [];
const nextOf = ({ json }: Answer): string | undefined =>
  json.link.find((one: { relation: string }) => one.relation === 'next')?.url.slice(server.base.length);

describe('a page of long records', () => {
  it.each([
    ['in the default order', '/DocumentReference?_count=1000'],
    ['of the usual size', '/DocumentReference'],
    ['in the order of an index', '/DocumentReference?_count=1000&_sort=-_lastUpdated'],
    ['in an order without an index', '/DocumentReference?_count=1000&_sort=status,-date'],
    ['with a chain', '/DocumentReference?_count=1000&subject:Patient.family=Roy'],
    ['of several types', '/?_type=DocumentReference,Media&_count=1000'],
    ['of a patient', '/DocumentReference?_count=1000&patient=p'],
    ['of everything', '/Patient/p/$everything?_count=1000'],
    ['of versions', '/DocumentReference/_history?_count=1000'],
  ])(
    '%s is shorter, and the next ones have the others, each once',
    async (_, path) => {
      const found: string[] = [];
      let pages = 0;
      for (let next: string | undefined = path; next !== undefined; pages += 1) {
        const answer: Answer = await server.get(next);
        expect(answer.status).toBe(200);
        expect(answer.text.length).toBeLessThan(mostPageText + 1_000_000);
        for (const { resource } of entriesOf(answer))
          if (resource.resourceType === 'DocumentReference') found.push(resource.id);
        next = nextOf(answer);
      }
      expect(found.toSorted()).toEqual(ids);
      expect(pages).toBeGreaterThan(2);
    },
    60_000,
  );

  it.each([
    ['_include', '/List?_id=l&_include=List:item'],
    ['_revinclude', '/Patient?_id=p&_revinclude=DocumentReference:subject'],
  ])('includes fewer by %s, and says so', async (_, path) => {
    const answer = await server.get(path);
    expect([answer.status, answer.text.length < 2 * mostPageText]).toEqual([200, true]);
    const included = entriesOf(answer).filter(({ search }) => search?.mode === 'include');
    expect([included.length > 5, included.length < count]).toEqual([true, true]);
    expect(JSON.stringify(entriesOf(answer).at(-1))).toContain('Request smaller pages');
  });
});

const bundle = (type: string, entry: readonly object[]) => ({
  headers: { 'Content-Type': 'application/fhir+json' },
  body: JSON.stringify({ resourceType: 'Bundle', type, entry }),
});
const gets = (number: number, url: string) =>
  Array.from({ length: number }, () => ({ request: { method: 'GET', url } }));

describe('the answer of a Bundle', () => {
  it.each([
    ['of statements', 'metadata', 600],
    ['of pages', 'DocumentReference?_count=50', 100],
    ['of records', 'DocumentReference/d01', 100],
  ])(
    '%s has the first entries, and 403 for those beyond its limit',
    async (_, url, number) => {
      const answer = await server.ask('POST', '', bundle('batch', gets(number, url)));
      expect([answer.status, answer.text.length < longestAnswer + 1_000_000]).toEqual([200, true]);
      const statuses = entriesOf(answer).map(({ response }) => response?.status);
      expect(new Set(statuses)).toEqual(new Set(['200', '403']));
      expect(statuses.slice(statuses.indexOf('403'))).not.toContain('200');
      expect(entriesOf(answer).at(-1)?.response?.outcome?.issue[0]?.code).toBe('too-costly');
    },
    60_000,
  );

  it('of a transaction is refused before anything is written', async () => {
    const create = { request: { method: 'POST', url: 'Patient' }, resource: { resourceType: 'Patient' } };
    const answer = await server.ask('POST', '', bundle('transaction', [create, ...gets(600, 'metadata')]));
    expect([answer.status, answer.json.issue[0].code]).toEqual([403, 'too-costly']);
    expect((await server.get('/Patient?_summary=count')).json.total).toBe(1);
  }, 60_000);
});

it.each([
  ['searches of parts', 'batch', gets(many, 'DocumentReference?_count=1000&_elements=id')],
  ['versions', 'batch', gets(3 * many, '_history?_count=200')],
])(
  'a Bundle of %s gives other requests their turns',
  async (_, type, entries) => {
    const order: string[] = [];
    const whole = server.ask('POST', '', bundle(type, entries)).then(({ status }) => order.push(`bundle ${status}`));
    for (let at = 0; at < 3; at += 1)
      await server.get('//healthz').then(({ status }) => order.push(`health ${status}`));
    await whole;
    expect(order).toEqual(['health 200', 'health 200', 'health 200', 'bundle 200']);
  },
  60_000,
);

it('the answers of all requests have a limit: 503 at once beyond it, and 200 when the others are read', async () => {
  const { port } = server.running;
  const request = 'GET /r4/demo/DocumentReference?_count=30 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const sockets: Socket[] = [];
  const open = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
      sockets.push(socket);
      socket.once('error', reject);
      socket.once('data', (chunk: Buffer) => {
        socket.pause(); // never reads the rest
        resolve(chunk.toString('latin1').slice(0, 12));
      });
    });
  const statuses: string[] = [];
  try {
    for (let at = 0; at < 30; at += 1) statuses.push(await open());
    const busy = await server.get('/DocumentReference?_count=30');
    expect([busy.status, busy.headers['retry-after'], busy.json.issue[0].code]).toEqual([503, '1', 'throttled']);
    expect((await server.get('/Patient/p')).status).toBe(200); // small answers are always sent
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 200', 'HTTP/1.1 503']));
  await expect.poll(async () => (await server.get('/DocumentReference?_count=30')).status).toBe(200);
}, 60_000);

it.each([
  ['pages', '/DocumentReference?_count=1000'],
  ['included records', '/Patient?_id=p&_revinclude=DocumentReference:subject'],
  ['versions', '/DocumentReference/_history?_count=1000'],
  ['everything', '/Patient/p/$everything?_count=1000'],
])(
  'many requests for long %s at once are answered, or refused at once',
  async (_, path) => {
    const { rss } = process.memoryUsage();
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
    const answers = await Promise.all(Array.from({ length: many }, () => statusOf(path)));
    clearInterval(timer);
    expect(new Set([...answers, 503])).toEqual(new Set([200, 503]));
    // Both sides of each answer are in this process.
    expect(most - rss).toBeLessThan(inXml ? 1.2e9 : 0.9e9);
  },
  120_000,
);

it('of many requests for a hundred short records at once none is refused: a few read at a time', async () => {
  const rooms = createAnswerRooms(() => undefined);
  let [reading, most] = [0, 0];
  const read = async (): Promise<void> => {
    reading += 1;
    most = Math.max(most, reading);
    await setImmediate();
    reading -= 1;
  };
  const asked = { count: 100, others: true };
  await Promise.all(Array.from({ length: 60 }, () => readInRoom(rooms.open('192.0.2.1'), asked, read)));
  expect(most).toBe(4);
});

it('many pages of the explorer at once are made some at a time', { timeout: 120_000 }, async () => {
  const path = '/DocumentReference?_count=50';
  const pages = await Promise.all(Array.from({ length: many }, () => statusOf(path, 'text/html')));
  expect(pages.filter(status => status !== 503).every(status => status === 200)).toBe(true);
  expect(pages).toContain(200);
});
