// https://hl7.org/fhir/R4/http.html#transaction: the entries of a transaction are carried out together or not at all.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransaction } from '../../src/interaction/bundle/transaction.ts';
import { dispatch } from '../../src/interaction/dispatch.ts';
import type { Answer } from '../support/serve.ts';
import {
  countOf,
  deleteEntry,
  getEntry,
  identified,
  partOf,
  postEntry,
  putEntry,
  sendBundle,
  sendEntries,
  statusesOf,
  transaction,
} from '../support/transaction.ts';
import { communication, everything, noted, pathPatch, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
}, 60_000);
afterAll(() => server.close());

const send = (entries: readonly object[], headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  sendEntries(server, entries, headers);
const called = (value: string): string => `Communication?identifier=${value}`;
const total = (criteria: string): Promise<number> => countOf(server, criteria);
const entryOf = ({ json }: Answer, at: number) => json.entry[at];
const putBy = (value: string, resource: object) => ({ resource, request: { method: 'PUT', url: called(value) } });
const patchEntry = (url: string) => ({
  resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data: btoa('[]') },
  request: { method: 'PATCH', url },
});

describe('a transaction', () => {
  it('answers each entry in the order of the entries, as they are stored', async () => {
    await server.put('/Communication/old', communication('old'));
    const answer = await send([
      getEntry(called('one')),
      putEntry(communication('old', noted('new'))),
      postEntry(identified('one')),
      getEntry('Communication/old'),
      deleteEntry('Communication/none'),
    ]);
    expect([answer.json.type, statusesOf(answer)]).toEqual(['transaction-response', [200, 200, 201, 200, 204]]);
    const created = entryOf(answer, 2);
    expect(created.fullUrl).toBe(`${server.base}/Communication/${created.resource.id}`);
    expect(created.response).toMatchObject({
      location: `${created.fullUrl}/_history/1`,
      etag: 'W/"1"',
      lastModified: created.resource.meta.lastUpdated,
    });
    const stored = await server.get(`/Communication/${created.resource.id}`);
    expect(stored.text).toBe(JSON.stringify(created.resource));
    expect(entryOf(answer, 0).resource.entry.map((entry: { resource: object }) => entry.resource)).toEqual([
      stored.json,
    ]);
    expect(entryOf(answer, 3).resource).toEqual((await server.get('/Communication/old')).json);
    expect(entryOf(answer, 3).response).toMatchObject({ etag: 'W/"2"', lastModified: stored.json.meta.lastUpdated });
  });

  it('may have no entries, and none that writes', async () => {
    expect((await send([])).json).toEqual({ resourceType: 'Bundle', type: 'transaction-response' });
    expect(statusesOf(await send([getEntry('Patient/p1'), getEntry('Patient?_id=p2')]))).toEqual([200, 200]);
  });

  it('stores nothing if an entry fails, and names every entry that does', async () => {
    for (const id of ['there', 'changed', 'removed']) await server.put(`/Communication/${id}`, communication(id));
    const answer = await send([
      postEntry(identified('all or nothing')),
      putEntry(communication('there', { status: undefined })),
      postEntry({ resourceType: 'Communication' }, undefined, { url: 'Communication' }),
      putEntry(communication('changed', noted('x')), { ifMatch: 'W/"7"' }),
      deleteEntry('Communication/removed', { ifMatch: 'W/"8"' }),
    ]);
    expect(statusesOf(answer)).toEqual([
      400,
      [
        'required Bundle.entry[1].resource.status',
        'required Bundle.entry[2].resource.status',
        'conflict Bundle.entry[3].request.ifMatch',
        'conflict Bundle.entry[4].request.ifMatch',
      ],
    ]);
    expect(await total(called('all%20or%20nothing'))).toBe(0);
    expect((await server.get('/Communication/there')).headers.etag).toBe('W/"1"');
  });

  it('names the element of each patch that is at fault, and that of the record that it makes', async () => {
    await server.put('/Communication/patched', communication('patched'));
    const patchEntry = (resource: object): object => ({
      resource,
      request: { method: 'PATCH', url: 'Communication/patched' },
    });
    const json = (...operations: readonly object[]): object =>
      patchEntry({
        resourceType: 'Binary',
        contentType: 'application/json-patch+json',
        data: Buffer.from(JSON.stringify(operations)).toString('base64'),
      });
    const value = { name: 'value', valueCode: 'nothing' };
    const faults: readonly (readonly [object, string, RegExp])[] = [
      [patchEntry(pathPatch('replace', 'Communication.status', value)), 'resource', /`Communication\.status`\.$/],
      [patchEntry(pathPatch('replace', 'Communication.more', value)), 'resource.parameter[0].part[1]', /unchanged\.$/],
      [json({ op: 'add', path: '/more', value: 1 }), 'resource', /In the patched record: `Communication\.more`\.$/],
      [json({ op: 'remove', path: '/received' }), 'resource.data', /^Operation 1 /],
      [json({ op: 'nothing' }), 'resource.data', /`op` of an operation/],
    ];
    for (const [entry, element, text] of faults) {
      const { json: outcome } = await send([entry]);
      expect(outcome.issue[0]).toMatchObject({
        expression: [`Bundle.entry[0].${element}`],
        diagnostics: expect.stringMatching(text),
      });
    }
  });

  it.each<[string, object, unknown]>([
    ['no request', { resource: identified('x') }, [400, ['required Bundle.entry[1].request.method']]],
    ['an unknown path', getEntry('Nothing/1'), [404, ['not-supported Bundle.entry[1].request.url']]],
    [
      'an undeclared interaction',
      { request: { method: 'DELETE', url: 'Condition/c' } },
      [405, ['not-supported Bundle.entry[1].request.method']],
    ],
    ['a record that does not exist', getEntry('Patient/none'), [404, ['not-found Bundle.entry[1].request.url']]],
    ['a search that is not valid', getEntry('Patient?unknown=1'), [400, ['not-supported Bundle.entry[1].request.url']]],
    ['a history', getEntry('Patient/p1/_history'), [400, ['not-supported Bundle.entry[1].request.url']]],
    ['an unknown element', { ...getEntry('Patient/p1'), more: 1 }, [400, ['structure Bundle.entry[1].more']]],
    ['an undeclared type', postEntry({ resourceType: 'Basic' }), [404, ['not-supported Bundle.entry[1].request.url']]],
  ])('stores nothing with an entry that has %s', async (name, entry, expected) => {
    const answer = await send([postEntry(identified(name)), entry], { Prefer: 'handling=strict' });
    expect(statusesOf(answer)).toEqual(expected);
    expect(await total(called(encodeURIComponent(name)))).toBe(0);
  });

  it.each<[string, readonly object[], string]>([
    ['updated twice', [putEntry(communication('twice')), putEntry(communication('twice'), {}, 'urn:x')], 'entry[1]'],
    [
      'deleted and updated',
      [putEntry(communication('there', noted('y'))), deleteEntry('Communication/there')],
      'entry[0]',
    ],
    [
      'created and updated by criteria',
      [putBy('by-criteria', identified('by-criteria')), postEntry(identified('by-criteria'))],
      'entry[0]',
    ],
    ['deleted twice', [deleteEntry('Communication/there'), deleteEntry('Communication/there')], 'entry[1]'],
    ['deleted by id and by criteria', [deleteEntry('Communication/there'), deleteEntry(called('there'))], 'entry[1]'],
    ['deleted by criteria twice', [deleteEntry(called('there')), deleteEntry(called('there'))], 'entry[1]'],
    ['deleted and patched', [patchEntry('Communication/there'), deleteEntry('Communication/there')], 'entry[0]'],
    ['deleted and patched by criteria', [patchEntry(called('there')), deleteEntry('Communication/there')], 'entry[0]'],
    [
      'deleted and updated by criteria',
      [putBy('there', identified('there')), deleteEntry(called('there'))],
      'entry[0]',
    ],
    [
      'deleted and updated, and does not exist',
      [deleteEntry('Communication/not-there'), putEntry(communication('not-there'))],
      'entry[1]',
    ],
    ['deleted twice, and does not exist', Array<object>(2).fill(deleteEntry('Communication/not-there')), 'entry[1]'],
    [
      'deleted and created by an update by criteria',
      [deleteEntry('Communication/not-there'), putBy('not-there', communication('not-there'))],
      'entry[1]',
    ],
  ])('refuses a record that is %s', async (_, entries, place) => {
    await server.put('/Communication/there', communication('there', { identifier: [{ value: 'there' }] }));
    expect(statusesOf(await send(entries))).toEqual([400, [`duplicate Bundle.${place}`]]);
    expect((await server.get('/Communication/there')).status).toBe(200);
  });

  it('replaces a record by another one that an entry creates by the same criteria', async () => {
    await server.put('/Communication/former', communication('former', { identifier: [{ value: 'replaced' }] }));
    const entries = [
      deleteEntry(called('replaced')),
      postEntry(identified('replaced'), undefined, { ifNoneExist: 'identifier=replaced' }),
    ];
    expect(statusesOf(await send(entries))).toEqual([204, 201]);
  });

  it('deletes one of two records, and updates the other one by criteria', async () => {
    for (const id of ['of-two-1', 'of-two-2'])
      await server.put(`/Communication/${id}`, communication(id, { identifier: [{ value: 'of-two' }] }));
    const entries = [deleteEntry('Communication/of-two-1'), putBy('of-two', identified('of-two', noted('other')))];
    const answer = await send(entries);
    expect(statusesOf(answer)).toEqual([204, 200]);
    expect(entryOf(answer, 1).resource.id).toBe('of-two-2');
  });

  it('takes preferences from its headers, and no Idempotency-Key', async () => {
    const minimal = await send([postEntry(identified('minimal'))], { Prefer: 'return=minimal' });
    expect([statusesOf(minimal), entryOf(minimal, 0).resource]).toEqual([[201], undefined]);
    const outcome = await send([postEntry(identified('outcome'))], { Prefer: 'return=OperationOutcome' });
    expect(entryOf(outcome, 0).response.outcome.issue[0].diagnostics).toMatch(/was created/);
    const refused = await send([postEntry(identified('key'))], { 'Idempotency-Key': 'k' });
    expect(statusesOf(refused)).toEqual([400, ['not-supported http."Idempotency-Key"']]);
  });

  it('has a limit of entries', async () => {
    const many = await send(Array.from({ length: 50_001 }, () => ({})));
    expect(statusesOf(many)).toEqual([400, ['too-costly Bundle.entry']]);
  });

  it('reads what it writes: by id, version, search, chain and count', async () => {
    await server.put(
      '/Communication/r1',
      communication('r1', { identifier: [{ value: 'reads' }], status: 'completed' }),
    );
    await server.put(
      '/Communication/r2',
      communication('r2', { identifier: [{ value: 'reads' }], status: 'completed' }),
    );
    const answer = await send([
      deleteEntry('Communication/r1'),
      putEntry(communication('r2', { identifier: [{ value: 'reads' }], status: 'stopped', ...noted('read') })),
      putEntry(communication('r3', { identifier: [{ value: 'reads' }], ...partOf('Communication/r2') })),
      getEntry('Communication/r2'),
      getEntry('Communication/r2/_history/1'),
      getEntry(`${called('reads')}&_sort=-_id`),
      getEntry(`${called('reads')}&_sort=_id&_count=1&_total=accurate`),
      getEntry('Communication?part-of:Communication.status=stopped'),
      getEntry('Communication?_id=r2&_revinclude=Communication:part-of'),
      getEntry(`${called('reads')}&_summary=count`),
    ]);
    expect(statusesOf(answer)).toEqual([204, 200, 201, 200, 200, 200, 200, 200, 200, 200]);
    const ids = (at: number) =>
      entryOf(answer, at).resource.entry.map((entry: { resource: { id: string } }) => entry.resource.id);
    expect(entryOf(answer, 3).resource).toMatchObject({ status: 'stopped', meta: { versionId: '2' } });
    expect(entryOf(answer, 4).resource).toMatchObject({ status: 'completed', meta: { versionId: '1' } });
    expect([5, 6, 7, 8].map(ids)).toEqual([['r3', 'r2'], ['r2'], ['r3'], ['r2', 'r3']]);
    expect([entryOf(answer, 6).resource.total, entryOf(answer, 9).resource.total]).toEqual([2, 2]);
    const next = entryOf(answer, 6).resource.link.find(({ relation }: { relation: string }) => relation === 'next').url;
    const page = await server.get(next.slice(server.base.length));
    expect(page.json.entry.map((entry: { resource: { id: string } }) => entry.resource.id)).toEqual(['r3']);
    expect(statusesOf(await send([deleteEntry('Communication/r3'), getEntry('Communication/r3')]))).toEqual([
      410,
      ['deleted Bundle.entry[1].request.url'],
    ]);
    expect((await server.get('/Communication/r3')).status).toBe(200);
  });

  it.each(['', '-_lastUpdated', '_lastUpdated', 'status,-_lastUpdated', '_id'])(
    'has pages in the order %s that continue after it, with each match once',
    async sort => {
      const name = `pages${sort.replace(',', '')}`;
      const order = sort === '' ? '' : `&_sort=${sort}`;
      const value = { identifier: [{ value: name }], status: 'completed' };
      const ids = ['1', '2', '3', '4', '5', '6'].map(id => `pages-${id}`);
      for (const id of ids) await server.put(`/Communication/${id}`, communication(id, value));
      const changed = ids.slice(1, 5).map(id => putEntry(communication(id, { ...value, ...noted(name) })));
      const found = (await send([...changed, getEntry(`${called(name)}${order}&_count=2`)])).json;
      interface Page {
        readonly entry: readonly { readonly resource: { readonly id: string } }[];
        readonly link: readonly { readonly relation: string; readonly url: string }[];
      }
      const walked: string[] = [];
      for (let page: Page | undefined = found.entry.at(-1).resource; page !== undefined;) {
        walked.push(...page.entry.map(({ resource }) => resource.id));
        const next = page.link.find(({ relation }) => relation === 'next');
        page = next && (await server.get(next.url.slice(server.base.length))).json;
      }
      const after = (await server.get(`/${called(name)}${order}`)).json as Page;
      expect(walked).toEqual(after.entry.map(({ resource }) => resource.id));
      expect(walked.toSorted()).toEqual(ids);
    },
  );

  it('deletes a record with those that refer to it, or that refer to it no more', async () => {
    const put = (id: string, to?: string) =>
      server.put(`/Communication/${id}`, communication(id, to === undefined ? {} : partOf(`Communication/${to}`)));
    for (const [id, to] of [['d1'], ['d2', 'd1'], ['d3', 'd1']] as const) await put(id, to);
    const only = [deleteEntry('Communication/d1'), deleteEntry('Communication/d2')];
    expect(statusesOf(await send(only))).toEqual([409, ['conflict Bundle.entry[0]', 'conflict Bundle.entry[0]']]);
    expect(statusesOf(await send([...only, putEntry(communication('d3'))]))).toEqual([204, 204, 200]);
    expect((await server.get('/Communication/d1')).status).toBe(410);
    await put('d4');
    const added = [deleteEntry('Communication/d4'), postEntry(identified('d5', partOf('Communication/d4')))];
    expect(statusesOf(await send(added))).toEqual([409, ['conflict Bundle.entry[0]', 'conflict Bundle.entry[0]']]);
  });

  it('writes nothing after a minute', async () => {
    const slow = createTransaction((...of) => {
      server.clock.now += 40_000;
      return dispatch(...of);
    });
    const body = transaction(postEntry(identified('late')), getEntry('Patient/p1'), getEntry('Patient/p1'));
    await expect(slow(server.running.engine, requestWith(body), server.partition)).rejects.toMatchObject({
      status: 503,
      issues: [{ code: 'timeout', expression: 'Bundle.entry[2]' }],
    });
    expect(await total(called('late'))).toBe(0);
  });

  it('deletes nothing if the search for referrers takes longer than a minute', async () => {
    await server.put('/Communication/slow', communication('slow'));
    const slow = createTransaction(async (...of) => {
      const answer = await dispatch(...of);
      server.clock.now += 70_000;
      return answer;
    });
    const late = slow(
      server.running.engine,
      requestWith(transaction(deleteEntry('Communication/slow'))),
      server.partition,
    );
    await expect(late).rejects.toMatchObject({ status: 503, issues: [{ expression: 'Bundle.entry[0]' }] });
    expect((await server.get('/Communication/slow')).status).toBe(200);
  });

  it('costs a client its entries once, however often it is carried out', async () => {
    await server.put('/Communication/raced', communication('raced'));
    const raced = communication('raced', noted('mine'));
    let carriedOut = 0;
    const racing = createTransaction(async (...of) => {
      const answer = await dispatch(...of);
      carriedOut += 1;
      if (carriedOut === 1) await server.put('/Communication/raced', communication('raced', noted('theirs')));
      return answer;
    });
    const charged: string[] = [];
    const engine = {
      ...server.running.engine,
      chargeClient: ({ interaction }: { interaction: string }) => void charged.push(interaction),
    };
    const body = transaction(putEntry(raced), getEntry('Patient/p1'));
    await racing(engine, requestWith(body), server.partition);
    expect(carriedOut).toBe(4);
    expect(charged).toEqual(['update', 'read']);
    expect((await server.get('/Communication/raced')).json.meta.versionId).toBe('3');
  });
});

const requestWith = (body: object) =>
  ({
    interaction: 'transaction',
    requestId: 'direct',
    address: '',
    access: 'open',
    method: 'POST',
    partition: server.partition,
    base: server.base,
    parameters: [],
    headers: {},
    handling: 'usual',
    body: Buffer.from(JSON.stringify(body)),
  }) as const;

it('transactions and batches are offered, and no other Bundles', async () => {
  const { json } = await server.get('/metadata');
  const offered = json.rest[0].interaction.map(({ code }: { code: string }) => code);
  expect(offered).toEqual(expect.arrayContaining(['batch', 'transaction']));
  const other = await sendBundle(server, { resourceType: 'Bundle', type: 'collection' }, server.authorized(everything));
  expect(statusesOf(other)).toEqual([400, ['not-supported Bundle.type']]);
  expect(other.json.issue[0].diagnostics).toBe(
    'The body is not a batch or a transaction: send a Bundle with the type `batch` or `transaction`.',
  );
});
