// https://hl7.org/fhir/R4/http.html#trules: criteria of a transaction that name other entries.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
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
import { communication, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
}, 60_000);
afterAll(() => server.close());

const send = (...entries: readonly object[]): Promise<Answer> => sendEntries(server, entries);
const ifNoneExist = (criteria: string) => ({ ifNoneExist: criteria });
const idOf = ({ json }: Answer, at: number): string => json.entry[at].resource.id;
const total = (criteria: string): Promise<number> => countOf(server, `Communication?${criteria}`);

describe('criteria that name an entry', () => {
  it('find what a create by its own criteria found, so that a repeated Bundle changes nothing', async () => {
    const bundle = [
      // The dependent one comes first: it is decided after the entry that it names.
      postEntry(identified('c', partOf('urn:uuid:b')), 'urn:uuid:c', ifNoneExist('part-of=urn:uuid:b&identifier=c')),
      postEntry(
        identified('b', partOf('urn:uuid:a')),
        'urn:uuid:b',
        ifNoneExist('identifier=b&part-of=urn%3Auuid%3Aa'),
      ),
      postEntry(identified('a'), 'urn:uuid:a', ifNoneExist('identifier=a')),
    ];
    const first = await send(...bundle);
    expect(statusesOf(first)).toEqual([201, 201, 201]);
    const again = await send(...bundle);
    expect([statusesOf(again), [0, 1, 2].map(at => idOf(again, at))]).toEqual([
      [200, 200, 200],
      [0, 1, 2].map(at => idOf(first, at)),
    ]);
    expect(await total('identifier=a,b,c')).toBe(3);
  });

  it('find by absolute, relative and versioned links, in lists', async () => {
    const other = 'https://other.example/fhir';
    const a = postEntry(identified('n'), `${other}/Communication/77`, ifNoneExist('identifier=n'));
    const forms = [
      `part-of=${other}/Communication/77`,
      `part-of=${other}/Communication/77/_history/3`,
      'part-of=Communication/77',
      'part-of=Communication/none,Communication/77',
    ];
    const made = await send(a, postEntry(identified('m', partOf('Communication/77')), `${other}/Communication/1`));
    expect(statusesOf(made)).toEqual([201, 201]);
    for (const form of forms) {
      const found = await send(a, postEntry(identified('m'), `${other}/Communication/2`, ifNoneExist(form)));
      expect([form, statusesOf(found), found.status === 200 && idOf(found, 1)]).toEqual([
        form,
        [200, 200],
        idOf(made, 1),
      ]);
    }
  });

  it('replace nothing in values that are no references', async () => {
    const uuid = 'urn:uuid:0f9c2a61-6a0f-4d8e-8f2b-1d6d5a9f7a10';
    await send(postEntry(identified(uuid)));
    const answer = await send(
      postEntry(identified('plain'), uuid),
      postEntry(identified(uuid), 'urn:uuid:x', ifNoneExist(`identifier=${uuid}`)),
    );
    expect(statusesOf(answer)).toEqual([201, 200]);
  });

  it('update, patch, read and delete', async () => {
    const made = await send(
      postEntry(identified('root'), 'urn:uuid:root', ifNoneExist('identifier=root')),
      ...['u', 'd'].map(one => postEntry(identified(one, partOf('urn:uuid:root')))),
    );
    const named = postEntry(identified('root'), 'urn:uuid:root', ifNoneExist('identifier=root'));
    const answer = await send(
      named,
      {
        resource: identified('u', { ...partOf('urn:uuid:root'), note: [{ text: 'new' }] }),
        request: { method: 'PUT', url: 'Communication?identifier=u&part-of=urn:uuid:root' },
      },
      deleteEntry('Communication?identifier=d&part-of=urn:uuid:root'),
      getEntry('Communication?part-of=urn:uuid:root&_summary=count'),
    );
    expect([statusesOf(answer), idOf(answer, 1), answer.json.entry[3].resource.total]).toEqual([
      [200, 200, 204, 200],
      idOf(made, 1),
      1,
    ]);
  });

  it('delete nothing by a record that the transaction creates', async () => {
    const answer = await send(
      postEntry(identified('new'), 'urn:uuid:new'),
      postEntry(identified('child', partOf('urn:uuid:new'))),
      deleteEntry('Communication?part-of=urn:uuid:new'),
    );
    expect([statusesOf(answer), await total('identifier=child')]).toEqual([[201, 201, 204], 1]);
  });

  it('are refused where no entry has the fullUrl, and where entries name each other', async () => {
    const before = await total('_id:missing=false');
    const refused = await send(
      postEntry(identified('r'), undefined, ifNoneExist('part-of=urn:uuid:none')),
      { resource: identified('r'), request: { method: 'PUT', url: 'Communication?part-of=urn:uuid:none' } },
      deleteEntry('Communication?part-of=urn:uuid:none'),
      getEntry('Communication?part-of=urn:uuid:none'),
    );
    expect(statusesOf(refused)).toEqual([
      400,
      [
        'not-found Bundle.entry[0].request.ifNoneExist',
        'not-found Bundle.entry[1].request.url',
        'not-found Bundle.entry[2].request.url',
      ],
    ]);
    expect(statusesOf(await send(getEntry('Communication?part-of=urn:uuid:none')))).toEqual([
      400,
      ['not-found Bundle.entry[0].request.url'],
    ]);
    const circle = await send(
      postEntry(identified('x'), 'urn:uuid:x', ifNoneExist('part-of=urn:uuid:y')),
      postEntry(identified('y'), 'urn:uuid:y', ifNoneExist('part-of=urn:uuid:x')),
    );
    expect([circle.status, await total('_id:missing=false')]).toEqual([400, before]);
  });

  it('are part of conditional references, too, whose links may name versions', async () => {
    const answer = await send(
      postEntry(identified('p', partOf('urn:uuid:q')), 'urn:uuid:p'),
      postEntry(identified('q'), 'https://other.example/Communication/q'),
      putEntry(communication('own', partOf('Communication?identifier=p&part-of=urn:uuid:q')), {}, 'urn:uuid:own'),
      putEntry(communication('s', partOf('https://other.example/Communication/q/_history/3')), {}, 'urn:uuid:s'),
      postEntry(identified('q'), 'urn:uuid:q'),
    );
    expect(statusesOf(answer)).toEqual([201, 201, 201, 201, 201]);
    const referenceAt = (at: number): string => answer.json.entry[at].resource.partOf[0].reference;
    expect([referenceAt(2), referenceAt(3)]).toEqual([
      `Communication/${idOf(answer, 0)}`,
      `Communication/${idOf(answer, 1)}`,
    ]);
  });
});

describe('reads by the record of an entry', () => {
  let whole: Served;
  beforeAll(async () => {
    whole = await serve([], ['--interface', 'r4']);
  }, 120_000);
  afterAll(() => whole.close());

  it('replace it in types, chains, reverse chains, filters and ids', async () => {
    const named = [
      'Observation?subject:Patient=urn:uuid:p',
      'Observation?subject.organization=urn:uuid:o',
      'Observation?subject:Patient.organization=urn:uuid:o',
      'Organization?_has:Patient:organization:_id=urn:uuid:p',
      'Organization?_has:Patient:organization:_has:Observation:patient:subject=urn:uuid:p',
      'Observation?_filter=subject re "urn:uuid:p"',
      'Observation?_filter=status eq final and subject re urn:uuid:p',
      'Patient?_id=urn:uuid:p',
    ];
    const code = { text: 'x' };
    const record = (resourceType: string, more: object) => ({ resourceType, ...more });
    const answer = await sendBundle(
      whole,
      transaction(
        postEntry(record('Organization', { name: 'o' }), 'urn:uuid:o'),
        postEntry(record('Patient', { managingOrganization: { reference: 'urn:uuid:o' } }), 'urn:uuid:p'),
        postEntry(record('Observation', { status: 'final', code, subject: { reference: 'urn:uuid:p' } })),
        postEntry(record('Observation', { status: 'final', code })),
        ...named.map(url => getEntry(encodeURI(`${url}&_total=accurate`))),
      ),
      {},
    );
    expect(statusesOf(answer)).toEqual([201, 201, 201, 201, ...named.map(() => 200)]);
    const found = (answer.json.entry as { resource: { total?: number } }[]).slice(4).map(one => one.resource.total);
    expect(named.map((url, at) => [url, found[at]])).toEqual(named.map(url => [url, 1]));
  });
});
