// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html and the audit, for each entry of a
// transaction.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import { auditOf } from '../support/audit-of.ts';
import type { Answer } from '../support/serve.ts';
import {
  deleteEntry,
  getEntry,
  postEntry,
  putEntry,
  sendBundle,
  statusesOf,
  transaction,
} from '../support/transaction.ts';
import { communication, everything, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
}, 60_000);
afterAll(() => server.close());

type Headers = Readonly<Record<string, string>>;
const send = (entries: readonly object[], headers: Headers): Promise<Answer> =>
  sendBundle(server, transaction(...entries), headers);
const of = (patient: string, more: object = {}) =>
  communication(undefined, { subject: { reference: `Patient/${patient}` }, ...more });
const identified = (value: string) => ({ identifier: [{ value }] });

describe('each entry of a transaction', () => {
  const mine = (scope: string): Headers => server.authorized(scope, { patient: 'p1' });

  it('needs its scope', async () => {
    const entries = [postEntry(of('p1', identified('scopes'))), getEntry('Communication?identifier=scopes')];
    const scoped = (scope: string) => send(entries, mine(scope)).then(statusesOf);
    expect(await scoped('patient/Communication.c')).toEqual([403, ['forbidden Bundle.entry[1]']]);
    expect(await scoped('patient/Communication.s')).toEqual([403, ['forbidden Bundle.entry[0]']]);
    expect(await scoped('patient/Communication.cs')).toEqual([201, 200]);
    expect((await server.get('/Communication?identifier=scopes')).json.entry).toHaveLength(1);
    const patch = { request: { method: 'PATCH', url: 'Communication/none' } };
    const noPatch = await send([patch], mine('patient/Communication.cs'));
    expect(statusesOf(noPatch)).toEqual([403, ['forbidden Bundle.entry[0]']]);
    expect((await sendBundle(server, transaction(), {})).status).toBe(401);
  });

  it('writes and finds what its caller may, and nothing else', async () => {
    await server.put('/Communication/hers', { ...of('p2', identified('hers')), id: 'hers' });
    const headers = mine('patient/Communication.cruds');
    const refused = (...entries: readonly object[]) => send(entries, headers).then(statusesOf);
    expect(await refused(postEntry(of('p1')), postEntry(of('p2')))).toEqual([403, ['forbidden Bundle.entry[1]']]);
    expect(await refused(putEntry({ ...of('p1'), id: 'hers' }))).toEqual([403, ['forbidden Bundle.entry[0]']]);
    expect(await refused(getEntry('Communication/hers'))).toEqual([404, ['not-found Bundle.entry[0].request.url']]);
    const partOf = { partOf: [{ reference: 'Communication?identifier=hers' }] };
    expect(await refused(postEntry(of('p1', partOf)))).toEqual([
      422,
      ['not-found Bundle.entry[0].resource.partOf[0].reference'],
    ]);
    const unseen = await send(
      [deleteEntry('Communication/hers'), postEntry(of('p1'), undefined, { ifNoneExist: 'identifier=hers' })],
      headers,
    );
    expect(statusesOf(unseen)).toEqual([204, 201]);
    expect((await server.get('/Communication/hers')).status).toBe(200);
  });

  it('may not move a record out of the compartment of its patient', async () => {
    await server.put('/Communication/moved', { ...of('p1'), id: 'moved' });
    const move = putEntry({ ...of('p2'), id: 'moved' });
    expect(statusesOf(await send([move], mine('patient/Communication.u')))).toEqual([
      403,
      ['forbidden Bundle.entry[0]'],
    ]);
  });
});

describe('each entry of a transaction has an audit event', () => {
  let number = 0;
  const eventsOf = (request: string, count: number) =>
    vi.waitFor(
      async () => {
        const found: string[] = [];
        for await (const { text } of readEvents(auditOf(server.running.engine.store))) {
          if (!text.includes(`"${request}"`)) continue;
          const { subtype, outcome, entity } = JSON.parse(text) as {
            subtype?: { code: string }[];
            outcome?: string;
            entity?: { what?: { reference?: string } }[];
          };
          const what = (entity ?? []).flatMap(one => one.what?.reference ?? []).join(' ');
          found.push(`${subtype?.[0]?.code} ${outcome ?? 'begun'} ${what}`.trim());
        }
        expect(found).toHaveLength(count);
        return found.toSorted();
      },
      { timeout: 20_000 },
    );
  const sendNamed = async (entries: readonly object[]): Promise<readonly [Answer, string]> => {
    const name = `transaction-${number++}`;
    return [await send(entries, { ...server.authorized(everything), 'X-Request-Id': name }), name];
  };

  it('and each write another one before it', async () => {
    await server.put('/Communication/a1', communication('a1'));
    const [answer, name] = await sendNamed([
      putEntry(communication('a1', noted('audited'))),
      postEntry(communication(undefined)),
      getEntry('Communication/a1'),
    ]);
    expect(statusesOf(answer)).toEqual([200, 201, 200]);
    const created = `Communication/${answer.json.entry[1].resource.id}`;
    expect(await eventsOf(name, 6)).toEqual(
      [
        'transaction 0',
        'update begun Patient/p1 Communication/a1',
        'update 0 Patient/p1 Communication/a1/_history/2',
        `create begun Patient/p1 ${created}`,
        `create 0 Patient/p1 ${created}/_history/1`,
        'read 0 Patient/p1 Communication/a1/_history/2',
      ].toSorted(),
    );
  });

  it('also if nothing was written', async () => {
    const [answer, name] = await sendNamed([postEntry(communication(undefined)), getEntry('Communication/none')]);
    expect(statusesOf(answer)).toEqual([404, ['not-found Bundle.entry[1].request.url']]);
    const [create, read, whole] = await eventsOf(name, 3);
    expect([create, read, whole]).toEqual(['create 4', 'read 4 Communication/none', 'transaction 4']);
  });

  it('also if an entry has no valid request', async () => {
    const [answer, name] = await sendNamed([postEntry(communication(undefined)), getEntry('Nothing/1')]);
    expect(statusesOf(answer)).toEqual([404, ['not-supported Bundle.entry[1].request.url']]);
    expect(await eventsOf(name, 3)).toEqual(['create 4', 'transaction 4', 'undefined 4']);
  });

  it('also if an entry has no resource; the answer names its place', async () => {
    const without = (method: string, url: string): object => ({ request: { method, url } });
    const [answer, name] = await sendNamed([
      without('POST', 'Communication'),
      without('PUT', 'Communication/none'),
      without('PUT', 'Communication?identifier=none'),
      without('PATCH', 'Communication/none'),
    ]);
    expect(statusesOf(answer)).toEqual([400, [0, 1, 2, 3].map(at => `required Bundle.entry[${at}].resource`)]);
    const events = await eventsOf(name, 5);
    const both = ['patch 4 Communication/none', 'update 4 Communication/none'];
    expect(events).toEqual(['create 4', ...both, 'transaction 4', 'update 4'].toSorted());
  });
});
