// A resource type is configuration: what definition files declare is served, without a line of code for it.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examples } from '../fhirpath/judge.ts';
import { put, serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

describe('two more types, declared by JSON alone', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve(
      [
        {
          resourceType: 'Practitioner',
          id: 'd1',
          active: true,
          name: [{ family: 'Okafor', given: ['Ada'] }],
          qualification: [{ code: { text: 'MD' }, period: { start: '2012-06' } }],
        },
        { resourceType: 'Practitioner', id: 'd2', name: [{ family: 'Roy' }] },
        { resourceType: 'Location', id: 'l1', status: 'active', name: 'Clinique de l’Est' },
        { resourceType: 'Patient', id: 'p1', generalPractitioner: [{ reference: 'Practitioner/d1' }] },
      ],
      ['--definitions', join(fixtures, 'two-more-types')],
    );
  });
  afterAll(() => server.close());

  it('are read', async () => {
    for (const path of ['/Practitioner/d1', '/Location/l1', '/Patient/p1']) {
      expect((await server.get(path)).status).toBe(200);
    }
    expect((await server.ask('PUT', '/Location/l1')).headers.allow).toBe('GET, HEAD');
  });

  it.each([
    ['/Practitioner?family=okafor', ['d1']],
    ['/Practitioner?active=true', ['d1']],
    ['/Practitioner?qualified-since=ge2012', ['d1']],
    ['/Practitioner?qualified-since=lt2012', []],
    ['/Practitioner?name:exact=Roy', ['d2']],
    ['/Location?_id=l1', ['l1']],
  ])('%s finds %j', async (path, ids) => {
    const { status, json } = await server.get(path);
    expect(status).toBe(200);
    expect((json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual(ids);
  });

  it('are declared by metadata, beside the shipped ones', async () => {
    const types = (await server.get('/metadata')).json.rest[0].resource.map(({ type }: { type: string }) => type);
    expect(types).toEqual(expect.arrayContaining(['Practitioner', 'Location', 'Patient']));
  });
});

/** Of each type; some have hundreds. */
const most = process.env['CRS_TEST_LONG'] === undefined ? 10 : Infinity;

describe('all of R4 with every official search parameter', () => {
  let server: Served;
  const written = new Map<string, Set<string>>();
  beforeAll(async () => {
    server = await serve([], ['--capability', join(fixtures, 'all-r4/capability')]);
    const all = [...examples()].filter(({ resource: { id, resourceType } }) => {
      const ids = written.get(resourceType) ?? new Set();
      if (id === undefined || ids.has(id) || ids.size === most) return false;
      written.set(resourceType, ids.add(id));
      return true;
    });
    await put(
      server.partition,
      all.map(({ resource }) => resource),
    );
  }, 300_000);
  afterAll(() => server.close());

  it('holds official examples, the first of each type found by its id', async () => {
    expect(written.size).toBeGreaterThanOrEqual(140);
    for (const [type, ids] of written) {
      const { json } = await server.get(`/${type}?_summary=count`);
      expect([type, json.total]).toEqual([type, ids.size]);
      const [id = ''] = ids;
      expect((await server.get(`/${type}/${id}`)).status).toBe(200);
      expect((await server.get(`/${type}?_id=${id}`)).json.entry).toHaveLength(1);
    }
  }, 120_000);

  it('every parameter of every type can be asked for', async () => {
    const refused: string[] = [];
    let asked = 0;
    for (const resource of (await server.get('/metadata')).json.rest[0].resource) {
      for (const { name, type } of resource.searchParam ?? []) {
        if (name === '_query') continue; // it names a query, which search-lists.test.ts tests
        const written: Readonly<Record<string, string>> = { composite: '=a$b', special: '=a' };
        const query = name + (written[type] ?? ':missing=false');
        const { status, json } = await server.get(`/${resource.type}?${query}&_count=1`);
        asked += 1;
        // A composite with a date or a number takes no `b`, and a position is no `a`: that is a malformed value.
        const malformed = written[type] !== undefined && status === 400 && json.issue[0].code === 'value';
        if (status !== 200 && !malformed) refused.push(`${resource.type}?${query} ${status}`);
      }
    }
    expect(asked).toBeGreaterThan(1_300);
    expect(refused).toEqual([]);
  }, 120_000);

  it('summaries and elements of every type are JSON that says that something is missing', async () => {
    for (const [type, ids] of written) {
      const [id = ''] = ids;
      for (const query of ['_summary=true', '_summary=text', '_summary=data', '_elements=id']) {
        const { status, json } = await server.get(`/${type}/${id}?${query}`);
        expect([type, query, status, json.resourceType, json.id]).toEqual([type, query, 200, type, id]);
        expect(json.meta.tag.at(-1).code).toBe('SUBSETTED');
      }
    }
  }, 120_000);

  it('every type is updated and deleted, and has versions', async () => {
    const outcomes = new Map<string, number>();
    const count = (what: string): void => void outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
    const headers = { 'Content-Type': 'application/fhir+json' };
    for (const [type, ids] of written) {
      const [id = ''] = ids;
      const path = `/${type}/${id}`;
      const { text } = await server.get(path, { Accept: headers['Content-Type'] }); // not the content of a Binary
      // Some examples break rules of R4, refer to records that do not exist, or have the url of a shipped definition.
      const same = await server.ask('PUT', path, { headers, body: text });
      const isSame = same.status === 200 && same.headers.etag === 'W/"1"' && same.text === text;
      expect([type, isSame || [409, 422].includes(same.status)]).toEqual([type, true]);
      count(`PUT ${same.status}`);
      const removed = await server.ask('DELETE', path);
      expect([type, [204, 409].includes(removed.status)]).toEqual([type, true]);
      count(`DELETE ${removed.status}`);
      const isGone = removed.status === 204;
      const history = await server.get(`/${type}/_history?_count=1`);
      expect(history.json.entry[0].request.method).toBe(isGone ? 'DELETE' : 'POST');
      expect((await server.get(path)).status).toBe(isGone ? 410 : 200);
      expect((await server.get(`${path}/_history/1`, { Accept: headers['Content-Type'] })).text).toBe(text);
    }
    expect(outcomes.get('PUT 200')).toBeGreaterThan(100);
    expect(outcomes.get('DELETE 204')).toBeGreaterThan(50);
    expect(outcomes.get('DELETE 409')).toBeGreaterThan(10);
    const { json } = await server.get('/_history?_count=1000');
    expect(json.entry.length).toBeGreaterThan(500);
  }, 120_000);
});
