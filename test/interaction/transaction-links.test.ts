// https://hl7.org/fhir/R4/http.html#trules: links between the entries of a transaction, conditions and criteria.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keptBytes, media, png } from '../support/media.ts';
import type { Answer } from '../support/serve.ts';
import {
  countOf,
  deleteEntry,
  getEntry,
  identified,
  partOf,
  postEntry,
  putEntry,
  sendEntries,
  statusesOf,
} from '../support/transaction.ts';
import { communication, noted, pathPatch, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
}, 60_000);
afterAll(() => server.close());

const send = (entries: readonly object[], headers?: Readonly<Record<string, string>>): Promise<Answer> =>
  sendEntries(server, entries, headers);
const resourceOf = ({ json }: Answer, at: number) => json.entry[at].resource;
const referenceOf = (answer: Answer, at: number): string => resourceOf(answer, at).partOf[0].reference;
const idOf = (answer: Answer, at: number): string => `Communication/${resourceOf(answer, at).id}`;
const ifNoneExist = (value: string) => ({ ifNoneExist: `identifier=${value}` });
const total = (value: string): Promise<number> => countOf(server, `Communication?identifier=${value}`);

describe('links of a transaction', () => {
  it('lead to the records of other entries, also in a circle', async () => {
    const answer = await send([
      postEntry(identified('circle', partOf('urn:uuid:2')), 'urn:uuid:1'),
      postEntry(identified('circle', partOf('urn:uuid:1')), 'urn:uuid:2'),
      putEntry(communication('self', partOf('urn:uuid:3')), {}, 'urn:uuid:3'),
    ]);
    expect(statusesOf(answer)).toEqual([201, 201, 201]);
    expect(referenceOf(answer, 0)).toBe(idOf(answer, 1));
    expect(referenceOf(answer, 1)).toBe(idOf(answer, 0));
    expect(referenceOf(answer, 2)).toBe('Communication/self');
  });

  it('are rewritten in narratives, extensions and relative references, and nowhere else', async () => {
    const div =
      '<div xmlns="http://www.w3.org/1999/xhtml"><a href="urn:uuid:a">urn:uuid:a</a>' +
      '<img src="urn:uuid:a" alt="urn:uuid:a"/><a href="urn:uuid:other">b</a></div>';
    const answer = await send([
      postEntry(identified('a'), 'urn:uuid:a'),
      postEntry(identified('b'), 'http://example.org/fhir/Communication/b'),
      {
        fullUrl: 'http://example.org/fhir/Communication/c',
        resource: identified('urn:uuid:a', {
          text: { status: 'generated', div },
          extension: [
            { url: 'urn:x', valueUri: 'urn:uuid:a' },
            { url: 'urn:y', valueString: 'urn:uuid:a' },
          ],
          ...partOf('Communication/b'),
        }),
        request: { method: 'POST', url: 'Communication' },
      },
    ]);
    expect(statusesOf(answer)).toEqual([201, 201, 201]);
    const [a, linked] = [idOf(answer, 0), resourceOf(answer, 2)];
    expect(linked.text.div).toBe(
      `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${a}">urn:uuid:a</a>` +
        `<img src="${a}" alt="urn:uuid:a"/><a href="urn:uuid:other">b</a></div>`,
    );
    expect(
      linked.extension.map(({ valueUri, valueString }: Record<string, string>) => valueUri ?? valueString),
    ).toEqual([a, 'urn:uuid:a']);
    expect(linked.identifier).toEqual([{ value: 'urn:uuid:a' }]);
    expect(linked.partOf).toEqual([{ reference: idOf(answer, 1) }]);
  });

  it('are kept in elements that no link is a value of', async () => {
    const uuid = 'urn:uuid:c757873d-ec9a-4326-a141-556f43239520';
    const kept = { extension: [{ url: uuid, valueUuid: uuid }], meta: { tag: [{ system: uuid, code: 'x' }] } };
    const answer = await send([postEntry(identified('kept', { ...kept, ...partOf(uuid) }), uuid)]);
    expect(statusesOf(answer)).toEqual([201]);
    expect(resourceOf(answer, 0)).toMatchObject(kept);
    expect(referenceOf(answer, 0)).toBe(idOf(answer, 0));
  });

  it('are refused if no entry has the fullUrl, or two have it', async () => {
    for (const urn of ['urn:uuid:none', 'urn:oid:1.2.3']) {
      const open = [postEntry(identified('open', partOf(urn)))];
      expect(statusesOf(await send(open))).toEqual([422, ['not-found Bundle.entry[0].resource.partOf[0].reference']]);
    }
    const twice = [postEntry(identified('twice'), 'urn:uuid:1'), postEntry(identified('twice'), 'urn:uuid:1')];
    expect(statusesOf(await send(twice))).toEqual([400, ['duplicate Bundle.entry[1].fullUrl']]);
    expect(await total('twice')).toBe(0);
  });

  it('are refused with the place of each, also in lists, extensions and contained resources', async () => {
    const to = (reference: string) => ({ reference });
    const none = to('urn:uuid:none');
    const answer = await send([
      postEntry(identified('a'), 'urn:uuid:a'),
      postEntry(
        identified('places', {
          contained: [{ resourceType: 'Communication', id: 'c', status: 'completed', partOf: [none] }],
          partOf: [to('urn:uuid:a'), none, to('Communication?identifier=nowhere'), none],
          _sent: { extension: [{ url: 'urn:x', valueReference: to('Communication?identifier=nowhere') }] },
          recipient: [{ ...none, identifier: { assigner: to('Communication?unknown=1') } }],
          refrence: 'urn:uuid:none',
        }),
      ),
    ]);
    const places = [
      'not-found partOf[2].reference',
      'not-found sent.extension[0].value.reference',
      'not-supported recipient[0].identifier.assigner.reference',
      'not-found contained[0].partOf[0].reference',
      'not-found partOf[1].reference',
      'not-found partOf[3].reference',
      'not-found recipient[0].reference',
    ];
    expect(statusesOf(answer)).toEqual([422, places.map(place => place.replace(' ', ' Bundle.entry[1].resource.'))]);
  });

  it('by criteria lead to what is there after all entries', async () => {
    for (const id of ['stored', 'gone']) await server.put(`/Communication/${id}`, communication(id, identified(id)));
    const to = (value: string) => partOf(`Communication?identifier=${value}`);
    const answer = await send([
      postEntry(identified('x1', to('stored'))),
      postEntry(identified('x2', to('x3'))),
      postEntry(identified('x3', to('now'))),
      putEntry(communication('gone', { identifier: [{ value: 'now' }] })),
    ]);
    expect(statusesOf(answer)).toEqual([201, 201, 201, 200]);
    expect([0, 1, 2].map(at => referenceOf(answer, at))).toEqual([
      'Communication/stored',
      idOf(answer, 2),
      'Communication/gone',
    ]);
    const refusals = await send([
      deleteEntry('Communication/stored'),
      postEntry(identified('y1', to('stored'))),
      postEntry(identified('y2', to('y4'))),
      postEntry(identified('y4')),
      postEntry(identified('y4')),
      postEntry(identified('y5', to('now&_count=1'))),
    ]);
    expect(statusesOf(refusals)).toEqual([
      422,
      [
        'not-found Bundle.entry[1].resource.partOf[0].reference',
        'multiple-matches Bundle.entry[2].resource.partOf[0].reference',
        'value Bundle.entry[5].resource.partOf[0].reference',
      ],
    ]);
  });

  it('by criteria may be absolute below the base; those of other servers stay as they are', async () => {
    await server.put('/Communication/absolute', communication('absolute', identified('absolute')));
    const to = (base: string, value: string) => partOf(`${base}/Communication?identifier=${value}`);
    const patch = pathPatch(
      'add',
      'Communication',
      { name: 'name', valueString: 'partOf' },
      { name: 'value', valueReference: to(server.base, 'absolute').partOf[0] },
    );
    await server.put('/Communication/changed', communication('changed'));
    const answer = await send([
      postEntry(identified('z1', to(server.base, 'absolute'))),
      postEntry(identified('z2', to(server.base, 'z1'))),
      postEntry(identified('z3', to('http://example.org/fhir', 'absolute'))),
      { resource: patch, request: { method: 'PATCH', url: 'Communication/changed' } },
    ]);
    expect(statusesOf(answer)).toEqual([201, 201, 201, 200]);
    expect([0, 1, 2, 3].map(at => referenceOf(answer, at))).toEqual([
      'Communication/absolute',
      idOf(answer, 0),
      'http://example.org/fhir/Communication?identifier=absolute',
      'Communication/absolute',
    ]);
    const none = await send([postEntry(identified('z4', to(server.base, 'none')))]);
    expect([none.status, none.json.issue[0].code]).toEqual([422, 'not-found']);
  });

  it('satisfy enforced references to what other entries create, and not to what they delete', async () => {
    const group = (reference?: string, id?: string) => ({
      resourceType: 'Group',
      ...(id === undefined ? {} : { id }),
      type: 'person',
      actual: true,
      ...(reference === undefined ? {} : { member: [{ entity: { reference } }] }),
    });
    await server.put('/Group/old', group(undefined, 'old'));
    const answer = await send([postEntry(group('urn:uuid:g')), postEntry(group('Patient/p1'), 'urn:uuid:g')]);
    expect(statusesOf(answer)).toEqual([201, 201]);
    expect(resourceOf(answer, 0).member[0].entity.reference).toBe(`Group/${resourceOf(answer, 1).id}`);
    expect(statusesOf(await send([postEntry(group('Patient/none'))]))).toEqual([
      422,
      ['not-found Bundle.entry[0].resource.member[0].entity.reference'],
    ]);
    const deleted = await send([deleteEntry('Group/old', { ifMatch: 'W/"1"' }), postEntry(group('Group/old'))]);
    expect(statusesOf(deleted)).toEqual([422, ['not-found Bundle.entry[1].resource.member[0].entity.reference']]);
    expect((await server.get('/Group/old')).status).toBe(200);
  });
});

describe('attachments in a transaction', () => {
  it('are stored with their records, or not at all', async () => {
    const [one, two] = [png(5_000), png(7_000)];
    const answer = await send([
      postEntry(media({}, { data: one.toString('base64') })),
      postEntry(media({}, { data: two.toString('base64') })),
      getEntry('Patient/p1'),
    ]);
    expect(statusesOf(answer)).toEqual([201, 201, 200]);
    expect(resourceOf(answer, 0).content.data).toBeUndefined();
    const kept = await keptBytes(server, 'Media');
    expect([0, 1].map(at => kept.get(resourceOf(answer, at).id))).toEqual([[one], [two]]);
    const updated = png(300);
    const { id, ...first } = resourceOf(answer, 0);
    const again = await send([
      putEntry({ ...media({}, { data: updated.toString('base64') }), id }),
      putEntry({ ...resourceOf(answer, 1), ...noted('the picture stays') }),
    ]);
    expect([first.resourceType, statusesOf(again)]).toEqual(['Media', [200, 200]]);
    const after = await keptBytes(server, 'Media');
    expect([id, resourceOf(answer, 1).id].map(one => after.get(one))).toEqual([[updated], [two]]);
    const bad = await send([
      postEntry(media({}, { data: png(80).toString('base64') })),
      postEntry(media({}, { data: 'AAAA' })),
    ]);
    expect(statusesOf(bad)).toEqual([422, [expect.stringMatching(/ Bundle\.entry\[1\]\.resource\.content/)]]);
    expect((await keptBytes(server, 'Media')).size).toBe(after.size);
  });

  it('may be as large as in a create', async () => {
    const bytes = png(20 * 1024 * 1024);
    const answer = await send([postEntry(media({}, { data: bytes.toString('base64') }))]);
    expect(statusesOf(answer)).toEqual([201]);
    expect((await keptBytes(server, 'Media')).get(resourceOf(answer, 0).id)?.[0]?.equals(bytes)).toBe(true);
  });
});

describe('conditions of a transaction', () => {
  it('create a record unless one matches, and links lead to the one that matches', async () => {
    const entries = [
      postEntry(identified('once'), 'urn:uuid:1', ifNoneExist('once')),
      postEntry(identified('part', partOf('urn:uuid:1'))),
    ];
    const first = await send(entries);
    expect([statusesOf(first), referenceOf(first, 1)]).toEqual([[201, 201], idOf(first, 0)]);
    const second = await send(entries);
    expect([statusesOf(second), referenceOf(second, 1)]).toEqual([[200, 201], idOf(first, 0)]);
    expect(await total('once')).toBe(1);
  });

  it('of several entries that are the same create one record', async () => {
    const answer = await send([
      postEntry(identified('same'), 'urn:uuid:1', ifNoneExist('same')),
      postEntry(identified('same'), 'urn:uuid:2', ifNoneExist('same')),
      postEntry(identified('parts', partOf('urn:uuid:2'))),
    ]);
    expect([statusesOf(answer), referenceOf(answer, 2)]).toEqual([[201, 200, 201], idOf(answer, 0)]);
    const other = await send([
      postEntry(identified('other'), 'urn:uuid:1'),
      postEntry(identified('other'), 'urn:uuid:2', ifNoneExist('other')),
    ]);
    expect(statusesOf(other)).toEqual([400, ['duplicate Bundle.entry[1].request']]);
    expect(await total('other')).toBe(0);
  });

  it('are refused where several create by criteria that their resources do not match', async () => {
    const unlike = [1, 2].map(at => postEntry(identified('unlike'), `urn:uuid:${at}`, ifNoneExist('nothing')));
    expect(statusesOf(await send(unlike))).toEqual([400, ['duplicate Bundle.entry[1]']]);
    expect(await total('unlike')).toBe(0);
  });

  it('create where another entry deletes the match, or changes it', async () => {
    for (const id of ['m1', 'm2']) await server.put(`/Communication/${id}`, communication(id, identified('match')));
    const answer = await send([
      deleteEntry('Communication/m1'),
      deleteEntry('Communication/m2'),
      postEntry(identified('match'), 'urn:uuid:1', ifNoneExist('match')),
    ]);
    expect([statusesOf(answer), await total('match')]).toEqual([[204, 204, 201], 1]);
  });

  it('update, delete and read by criteria', async () => {
    for (const id of ['k1', 'k2']) await server.put(`/Communication/${id}`, communication(id, identified('many')));
    const byCriteria = (method: string, criteria: string, resource?: object): object => ({
      fullUrl: `urn:uuid:${method}${criteria}`,
      ...(resource === undefined ? {} : { resource }),
      request: { method, url: `Communication?identifier=${criteria}` },
    });
    const answer = await send([
      byCriteria('DELETE', 'many'),
      byCriteria('PUT', 'new', identified('new')),
      postEntry(identified('z', partOf('urn:uuid:PUTnew'))),
      getEntry('Communication?identifier=many&_summary=count'),
    ]);
    expect(statusesOf(answer)).toEqual([204, 201, 201, 200]);
    expect([referenceOf(answer, 2), resourceOf(answer, 3).total]).toEqual([idOf(answer, 1), 0]);
    const again = await send([byCriteria('PUT', 'new', identified('new', noted('again')))]);
    expect([statusesOf(again), idOf(again, 0)]).toEqual([[200], idOf(answer, 1)]);
    await server.put('/Communication/k3', communication('k3', identified('new')));
    expect(statusesOf(await send([byCriteria('PUT', 'new', identified('new'))]))).toEqual([
      412,
      ['multiple-matches Bundle.entry[0].request.url'],
    ]);
    expect(statusesOf(await send([postEntry(identified('x'), undefined, { ifNoneExist: 'unknown=1' })]))).toEqual([
      400,
      ['not-supported Bundle.entry[0].request.ifNoneExist'],
    ]);
    expect(statusesOf(await send([postEntry(identified('new'), undefined, ifNoneExist('new'))]))).toEqual([
      412,
      ['multiple-matches Bundle.entry[0].request.ifNoneExist'],
    ]);
  });

  it('patch in both formats, with links and criteria', async () => {
    for (const id of ['q1', 'q2']) await server.put(`/Communication/${id}`, communication(id, identified(id)));
    const parts = [
      { name: 'type', valueCode: 'add' },
      { name: 'path', valueString: 'Communication' },
      { name: 'name', valueString: 'basedOn' },
      { name: 'value', valueReference: { reference: 'urn:uuid:new' } },
    ];
    const data = Buffer.from(JSON.stringify([{ op: 'replace', path: '/status', value: 'stopped' }])).toString('base64');
    const answer = await send([
      {
        resource: { resourceType: 'Parameters', parameter: [{ name: 'operation', part: parts }] },
        request: { method: 'PATCH', url: 'Communication/q1', ifMatch: 'W/"1"' },
      },
      {
        fullUrl: 'urn:uuid:patched',
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
        request: { method: 'PATCH', url: 'Communication?identifier=q2' },
      },
      postEntry(identified('q3', partOf('urn:uuid:patched')), 'urn:uuid:new'),
      getEntry('Communication/q2'),
    ]);
    expect(statusesOf(answer)).toEqual([200, 200, 201, 200]);
    expect(resourceOf(answer, 0).basedOn).toEqual([{ reference: idOf(answer, 2) }]);
    expect([referenceOf(answer, 2), resourceOf(answer, 3).status]).toEqual(['Communication/q2', 'stopped']);
    const twice = [putEntry(communication('q1')), { ...deleteEntry('Communication/q1') }];
    expect(statusesOf(await send(twice))).toEqual([400, ['duplicate Bundle.entry[0]']]);
  });

  it('patch with links in what a JSON Patch, or the text of a FHIRPath Patch, makes', async () => {
    for (const id of ['j1', 'j2'])
      await server.put(`/Communication/${id}`, communication(id, partOf('Communication/q1')));
    const operations = [
      { op: 'add', path: '/basedOn', value: [{ reference: 'urn:uuid:new' }] },
      { op: 'replace', path: '/partOf/0/reference', value: 'urn:uuid:new' },
    ];
    const data = Buffer.from(JSON.stringify(operations)).toString('base64');
    const value = { name: 'value', valueString: 'urn:uuid:new' };
    const answer = await send([
      {
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
        request: { method: 'PATCH', url: 'Communication/j1' },
      },
      {
        resource: pathPatch('replace', 'Communication.partOf.reference', value),
        request: { method: 'PATCH', url: 'Communication/j2' },
      },
      postEntry(identified('j3'), 'urn:uuid:new'),
    ]);
    expect(statusesOf(answer)).toEqual([200, 200, 201]);
    const link = [{ reference: idOf(answer, 2) }];
    expect(resourceOf(answer, 0)).toMatchObject({ basedOn: link, partOf: link });
    expect(resourceOf(answer, 1).partOf).toEqual(link);
  });

  it('patch with conditional references, which find what other entries make', async () => {
    await server.put('/Communication/c1', communication('c1', partOf('urn:uuid:from-elsewhere')));
    const patchOf = (...references: readonly string[]): object => {
      const value = references.map(reference => ({ reference }));
      const data = Buffer.from(JSON.stringify([{ op: 'add', path: '/basedOn', value }])).toString('base64');
      return {
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
        request: { method: 'PATCH', url: 'Communication/c1' },
      };
    };
    const made = postEntry(identified('c2'), 'urn:uuid:made');
    const answer = await send([patchOf('Communication?identifier=c2', 'urn:uuid:made'), made]);
    expect(statusesOf(answer)).toEqual([200, 201]);
    const link = { reference: idOf(answer, 1) };
    expect(resourceOf(answer, 0).basedOn).toEqual([link, link]);
    for (const reference of ['Communication?identifier=none', 'urn:uuid:none']) {
      const refused = await send([patchOf(`${server.base}/Communication/c1`, reference)]);
      expect(statusesOf(refused)).toEqual([422, ['not-found Bundle.entry[0].resource']]);
      const place = 'In the patched record: `Communication.basedOn[1].reference`.';
      expect(refused.json.issue[0].diagnostics).toContain(place);
    }
  });

  it('name versions', async () => {
    await server.put('/Communication/v', communication('v'));
    const update = (version: number) =>
      putEntry(communication('v', noted(`${version}`)), { ifMatch: `W/"${version}"` });
    expect(statusesOf(await send([update(1), postEntry(identified('v'))]))).toEqual([200, 201]);
    expect(statusesOf(await send([update(1), postEntry(identified('v'))]))).toEqual([
      412,
      ['conflict Bundle.entry[0].request.ifMatch'],
    ]);
    expect(await total('v')).toBe(1);
  });
});

it('verification finds nothing wrong after all of these', async () => {
  const findings: object[] = [];
  for await (const step of server.running.engine.store.verify()) findings.push(...step.findings);
  expect(findings).toEqual([]);
});
