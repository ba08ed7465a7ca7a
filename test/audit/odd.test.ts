// Events of odd requests, and of what is no request for records: each is one line, and an AuditEvent as R4 has it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizationEvent, signInEvent } from '../../src/audit/authorization-event.ts';
import { commandEvent, serverEvent } from '../../src/audit/command-event.ts';
import { readEvents } from '../../src/audit/read-events.ts';
import { createRequestEvents, refusedEvent } from '../../src/audit/request-event.ts';
import type { AuditedRequest } from '../../src/audit/request.ts';
import { createAccess } from '../../src/auth/access.ts';
import type { AuditEntry } from '../../src/store/audit/line.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { list } from '../store/support/list.ts';
import type { Validator } from '../../src/validation/profile/validator.ts';
import { appendEvents, auditOf } from '../support/audit-of.ts';

const url = 'https://records.example';
const odd = [
  '"',
  '\\',
  '","status":200,"x":"',
  '\n',
  '\t\r\u0000\u001b[2J',
  '\u2028',
  'é😀',
  '\ud800',
  '\udc00x',
  ',"event":{',
  '{"request":"',
];

let server: Served;
let validator: Validator;
beforeAll(async () => {
  server = await serve();
  validator = await server.running.engine.validator();
});
afterAll(() => server.close());

interface Read {
  readonly [name: string]: any; // eslint-disable-line typescript/no-explicit-any -- what tests look into
}

/** What is read of events that are kept. */
async function kept(entries: readonly AuditEntry[]): Promise<readonly Read[]> {
  const { store } = server.running.engine;
  await appendEvents(store, entries);
  const audit = auditOf(store);
  const read = await list(readEvents(audit));
  expect(await list(audit.verify())).toEqual([]);
  const found = read.slice(-entries.length);
  expect(found.map(({ recorded, partition, patients }) => [recorded, partition, patients])).toEqual(
    entries.map(({ recorded, partition, patients }) => [recorded, partition, patients]),
  );
  return found.map(({ text }) => JSON.parse(text) as Read);
}

const wrongs = (event: Read): unknown[] =>
  validator.validate(event, { type: 'AuditEvent' }).filter(({ severity }) => severity === 'error');

function parts(more: Partial<AuditedRequest> = {}) {
  const { model, extract } = server.running.engine;
  const events = createRequestEvents(model, extract, url, Date.now);
  const request = {
    requestId: 'r',
    address: '::1',
    access: 'open',
    partition: server.partition,
    method: 'GET',
    interaction: 'search-type',
    resourceType: 'Condition',
    ...more,
  } as const;
  return { events, request };
}

const accessOf = (client: string, subject: string, fhirUser = 'Practitioner/dr') =>
  createAccess(
    {
      issuer: `${url}/${client}`,
      client,
      subject,
      scope: 'system/*.rs',
      patient: undefined,
      fhirUser,
      partition: 'demo',
      expires: 0,
    },
    { model: server.running.engine.model, base: server.base, zone: 'UTC', now: 0 },
  );

/** As UTF-8 has it, in which a half of a pair is no character. */
const plain = (text: string): string =>
  text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');

describe('the event of a request', () => {
  it('takes what a client, an issuer and a user may be called as a text', async () => {
    const entries = odd.map(text => {
      const { events, request } = parts({
        access: accessOf(`c${text}`, `s${text}`),
        method: `M${text}`,
        query: `Condition?x=${text}`,
        requestId: `r${text}`,
        address: `a${text}`,
      });
      return events.answered(request, { status: 200, records: [] }, Date.now());
    });
    const found = await kept(entries);
    for (const [at, text] of odd.entries()) {
      const event = found[at] ?? {};
      const [client, user] = event['agent'];
      expect([event['outcome'], client.who.identifier.value, client.network.address]).toEqual([
        '0',
        `c${text}`,
        `a${text}`,
      ]);
      expect(user.who).toEqual({
        reference: 'Practitioner/dr',
        identifier: { system: `${url}/c${text}`, value: `s${text}` },
      });
      const [query, id] = event['entity'];
      expect(Buffer.from(query.query, 'base64').toString()).toBe(`Condition?x=${plain(text)}`);
      expect(id.what.identifier.value).toBe(`r${text}`);
    }
  });

  it('says from where each came, also with one token from several places', async () => {
    const access = accessOf('app', 'ann');
    const places = ['::1', '10.0.0.7', '', '::1'];
    const entries = places.map(address => {
      const { events, request } = parts({ access, address });
      return events.answered(request, { status: 200, records: [] }, Date.now());
    });
    const found = await kept(entries);
    expect(found.map(({ agent }) => agent[0].network?.address ?? '')).toEqual(places);
  });

  it('names a thousand records and patients, and has the number of all', async () => {
    const { events, request } = parts();
    const records = Array.from({ length: 1200 }, (_, at) => ({
      type: 'Condition',
      id: `c${at}`,
      version: 1,
      lastUpdated: 0,
      text: `{"resourceType":"Condition","id":"c${at}","subject":{"reference":"Patient/p${at}"}}`,
    }));
    const query = `Condition?_id=${'é'.repeat(20_000)}`;
    const [event = {}] = await kept([events.answered({ ...request, query }, { status: 200, records }, Date.now())]);
    expect(wrongs(event)).toEqual([]);
    const entities: readonly Read[] = event['entity'];
    expect(entities.filter(({ role }) => role?.code === '1')).toHaveLength(1000);
    expect(entities.filter(({ what }) => String(what?.reference).endsWith('/_history/1'))).toHaveLength(1000);
    expect(entities.flatMap(({ detail }) => detail ?? [])).toEqual([
      { type: 'patients', valueString: '1200' },
      { type: 'records', valueString: '1200' },
    ]);
    expect(Buffer.from(entities.find(one => one['query'])?.['query'], 'base64').toString()).toHaveLength(16_385);
  });
});

describe('every kind of event', () => {
  it('is an AuditEvent as R4 has it, the same each time it is read, with an id of its own', async () => {
    const now = Date.now();
    const access = accessOf('app', 'ann');
    const { events, request } = parts({ access });
    const create = { ...request, interaction: 'create', method: 'POST', resourceType: 'Media', requestKey: 1 } as const;
    const record = {
      type: 'Media',
      id: 'm',
      version: 1,
      lastUpdated: 0,
      text: '{"resourceType":"Media","subject":{"reference":"Patient/p1"}}',
    };
    const token = {
      status: 200,
      error: undefined,
      grantType: 'authorization_code',
      scope: 'openid',
      client: 'app',
      user: 'ann',
      partition: 'demo',
      patient: 'p1',
      address: '::1',
      requestId: 'r',
    } as const;
    const entries = [
      events.begun(create, { ...record, key: 'a'.repeat(64) }),
      events.answered(create, { status: 201, records: [record] }, now),
      ...[200, 304, 403, 404, 410, 500, 503].map(status =>
        events.answered({ ...request, interaction: 'read', id: 'x' }, { status, records: [] }, now),
      ),
      events.answered({ ...request, interaction: undefined, method: 'PURGE' }, { status: 405, records: [] }, now),
      events.answered({ ...request, access: 'open', address: '' }, { status: 200, records: [record] }, now),
      refusedEvent(url, { status: 401, partition: undefined, address: '', count: 7, start: now - 500, end: now }),
      authorizationEvent(url, 'Patient', now, { ...token, what: 'issued' }),
      authorizationEvent(url, 'Patient', now, {
        ...token,
        what: 'refused',
        status: 400,
        error: 'invalid_scope',
        user: undefined,
        patient: undefined,
        partition: undefined,
        scope: undefined,
      }),
      authorizationEvent(url, 'Patient', now, { ...token, what: 'revoked', grantType: undefined, scope: undefined }),
      ...[200, 401, 429].map(status =>
        signInEvent(url, now, { what: 'login', user: 'ann', status, address: '::1', requestId: 'r' }),
      ),
      signInEvent(url, now, { what: 'logout', user: 'ann', status: 200, address: '', requestId: 'r' }),
      commandEvent(url, now, { command: 'partition remove', kind: 'records', action: 'D', partition: 'demo' }),
      commandEvent(
        url,
        now,
        {
          command: 'delete',
          kind: 'records',
          action: 'D',
          owner: 'Patient',
          patients: Array.from({ length: 1100 }, (_, at) => `p${at}`),
          records: [],
          details: { n: 1 },
        },
        '8',
      ),
      serverEvent(url, now, { what: 'audit outage', kind: 'audit', outcome: '8', details: { lost: 3 } }),
    ];
    const found = await kept(entries);
    for (const event of found) expect([event['subtype'], wrongs(event)]).toEqual([event['subtype'], []]);
    expect(new Set(found.map(event => event['id'])).size).toBe(entries.length);
    const again = (await list(readEvents(auditOf(server.running.engine.store)))).slice(-entries.length);
    expect(again.map(({ text }) => JSON.parse(text) as Read)).toEqual(found);
  });
});
