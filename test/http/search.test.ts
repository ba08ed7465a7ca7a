// https://hl7.org/fhir/R4/http.html#search and https://hl7.org/fhir/R4/search.html
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inXml } from '../support/in-xml.ts';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  const observations = Array.from({ length: 25 }, (_, at) =>
    observation(`o${at}`, {
      subject: { reference: at % 2 === 0 ? 'Patient/p1' : 'Patient/p2' },
      effectiveDateTime: `2024-05-${String(at + 1).padStart(2, '0')}T10:00:00-04:00`,
    }),
  );
  const decimal =
    '{"resourceType":"Condition","id":"c1","subject":{"reference":"Patient/p1"},' +
    '"onsetAge":{"value":1.10,"code":"a","system":"http://unitsofmeasure.org"}}';
  server = await serve([
    patient('p1'),
    patient('p2', { name: [{ family: 'Lefebvre' }], active: false }),
    decimal,
    ...observations,
  ]);
});
afterAll(() => server.close());

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const ids = (answer: Answer): string[] =>
  (answer.json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id);
const link = (answer: Answer, relation: string): string | undefined =>
  answer.json.link.find((link: { relation: string }) => link.relation === relation)?.url;
/** A link without the base URL, as `get` takes it. */
const follow = (url: string | undefined): string => {
  expect(url).toMatch(new RegExp(`^${server.base}/`));
  return (url ?? '').slice(server.base.length);
};

describe('search', () => {
  it('answers a searchset with absolute fullUrls, mode match and a self link', async () => {
    const answer = await server.get('/Patient?family=tremblay');
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      resourceType: 'Bundle',
      type: 'searchset',
      link: [{ relation: 'self', url: `${server.base}/Patient?family=tremblay` }],
      entry: [{ fullUrl: `${server.base}/Patient/p1`, resource: { id: 'p1' }, search: { mode: 'match' } }],
    });
    expect(answer.json).not.toHaveProperty('total');
    expect(answer.headers['content-type']).toBe('application/fhir+json; charset=utf-8');
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.headers.vary).toBe('Accept, Accept-Encoding, Origin, Prefer');
  });

  it('answers no match with an empty searchset', async () => {
    const { status, json } = await server.get('/Patient?family=nobody');
    expect([status, json.entry, json.type]).toEqual([200, undefined, 'searchset']);
  });

  it.skipIf(inXml)('passes stored texts through, as JSON alone', async () => {
    const stored = await server.partition.read('Condition', 'c1');
    const { text } = await server.get('/Condition?patient=p1');
    expect(text).toContain(`"resource":${stored?.text},`);
  });

  it('answers HEAD as GET without a body', async () => {
    const get = await server.get('/Patient?family=tremblay');
    const head = await server.ask('HEAD', '/Patient?family=tremblay');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', get.headers['content-length']]);
  });

  it.each([
    ['?nmae=ann', 'not-supported', 'Did you mean `name`?'],
    ['?name:sounds=ann', 'code-invalid', ':sounds'],
    ['?name=', 'value', 'name'],
    ['?patient=Patient/', 'not-supported', 'patient'],
    ['?birthdate=23 May 2009', 'value', '23 May 2009'],
    ['?birthdate=$gte1980', 'value', '$gte1980'],
    ['?_count=-1', 'value', '_count'],
    ['?_count=1&_count=2', 'value', '_count'],
    ['?_page_token=abc', 'value', '_page_token'],
    ['?_elements=nmae', 'value', 'Did you mean `name`?'],
    ['?_pretty=perhaps', 'value', '_pretty'],
    ['?name=%zz', 'value', '%zz'],
  ])('answers %s with 400 %s', async (query, code, text) => {
    const { status, json } = await server.get(`/Patient${query.replaceAll(' ', '%20')}`);
    expect(status).toBe(400);
    expect(json.issue[0]).toMatchObject({ severity: 'error', code });
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('lenient handling ignores what is unknown or empty, says so and leaves it out of self', async () => {
    const answer = await server.get('/Patient?nmae=ann&family=tremblay&gender=', { Prefer: 'handling=lenient' });
    expect(ids(answer)[0]).toBe('p1');
    expect(link(answer, 'self')).toBe(`${server.base}/Patient?family=tremblay`);
    const outcome = answer.json.entry.at(-1);
    expect(outcome).toMatchObject({ resource: { resourceType: 'OperationOutcome' }, search: { mode: 'outcome' } });
    expect(outcome.resource.issue.map((issue: { severity: string }) => issue.severity)).toEqual(['warning', 'warning']);
  });

  it('_pretty and _format shape the answer and are not in self', async () => {
    const answer = await server.get('/Condition?patient=p1&_pretty=true&_format=json');
    expect(answer.text).toContain('"value": 1.10');
    expect(link(answer, 'self')).toBe(`${server.base}/Condition?patient=p1`);
  });
});

// https://hl7.org/fhir/R4/http.html#paging
describe('paging', () => {
  it('follows next to the end: each resource once, in order, links of one token', async () => {
    const seen: string[] = [];
    let answer = await server.get('/Observation?patient=Patient/p1&_count=4');
    for (;;) {
      seen.push(...ids(answer));
      const next = link(answer, 'next');
      if (next === undefined) break;
      expect(next).toMatch(/\/Observation\?_page_token=[\w-]+$/);
      expect(ids(answer)).toHaveLength(4);
      answer = await server.get(follow(next));
      expect(answer.status).toBe(200);
      expect(link(answer, 'self')).toBe(next);
    }
    expect(seen).toEqual(Array.from({ length: 13 }, (_, at) => `o${24 - 2 * at}`));
  });

  it('has no next link where a page holds all', async () => {
    expect(link(await server.get('/Observation?patient=p1&_count=13'), 'next')).toBeUndefined();
    expect(link(await server.get('/Observation?patient=p1&_count=12'), 'next')).toBeDefined();
  });

  it('a _count beside the token changes the size of the page', async () => {
    const next = follow(link(await server.get('/Observation?patient=p1&_count=4'), 'next'));
    const answer = await server.get(`${next}&_count=1000`);
    expect(ids(answer)).toHaveLength(9);
    expect(link(answer, 'self')).toBe(`${server.base}${next}&_count=1000`);
    expect((await server.get(`${next}&_pretty=true&_format=json`)).status).toBe(200);
  });

  it('a larger _count than the maximum is lowered, and self shows it', async () => {
    const answer = await server.get('/Observation?_count=5000');
    expect(link(answer, 'self')).toBe(`${server.base}/Observation?_count=1000`);
  });

  it('a token is valid for its own type and partition, unaltered, with nothing added', async () => {
    const next = follow(link(await server.get('/Observation?_count=4'), 'next'));
    await server.running.engine.store.partitions.add('other', { zone: 'UTC' });
    const refused = [
      `${next}&patient=p2`,
      `${next}&_summary=true`,
      `${next.slice(0, -2)}AA`,
      next.slice(0, -8),
      next.replace('/Observation', '/Condition'),
      `//r4/other${next}`,
      `${next}&${next.slice(next.indexOf('?') + 1)}`,
    ];
    for (const path of refused) expect([path, (await server.get(path)).status]).toEqual([path, 400]);
  });

  it('_summary and _elements continue over the pages', async () => {
    const first = await server.get('/Observation?_elements=effective&_count=4');
    const second = await server.get(follow(link(first, 'next')));
    expect(Object.keys(second.json.entry[0].resource)).toEqual([
      'resourceType',
      'id',
      'meta',
      'status',
      'code',
      'effectiveDateTime',
    ]);
  });
});

// https://hl7.org/fhir/R4/search.html#total, #summary
describe('total and summary', () => {
  it.each(['_summary=count', '_count=0', '_count=0&_total=none'])('%s gives the total alone', async query => {
    const { json } = await server.get(`/Observation?patient=p2&${query}`);
    expect(json).toMatchObject({ type: 'searchset', total: 12 });
    expect(json.entry).toBeUndefined();
    expect(json.link).toHaveLength(1);
  });

  it.each([
    ['accurate', 12],
    ['estimate', 12],
    ['none', undefined],
  ])('_total=%s gives %s', async (total, expected) => {
    const { json } = await server.get(`/Observation?patient=p2&_count=3&_total=${total}`);
    expect(json.total).toBe(expected);
    expect(json.entry).toHaveLength(3);
  });

  it('the total counts all pages, on each of them', async () => {
    const first = await server.get('/Observation?patient=p2&_count=5&_total=accurate');
    const second = await server.get(follow(link(first, 'next')));
    expect([first.json.total, second.json.total]).toEqual([12, 12]);
  });

  it('entries are subset and tagged', async () => {
    const { json } = await server.get('/Patient?family=tremblay&_summary=true');
    expect(json.entry[0].resource.meta.tag[0].code).toBe('SUBSETTED');
    const { text } = await server.get('/Condition?patient=p1&_elements=onset');
    expect(text).toContain('"value":1.10');
  });
});

// https://hl7.org/fhir/R4/http.html#search
describe('POST _search', () => {
  it('takes a form; parameters of URL and body add up', async () => {
    const body = 'family=tremblay';
    const both = await server.ask('POST', '/Patient/_search?active=true', { headers: form, body });
    expect(ids(both)).toEqual(['p1']);
    expect(link(both, 'self')).toBe(`${server.base}/Patient?active=true&family=tremblay`);
    const none = await server.ask('POST', '/Patient/_search?active=false', { headers: form, body });
    expect(ids(none)).toEqual([]);
  });

  it('pages by GET, with nothing of the form in the link', async () => {
    const first = await server.ask('POST', '/Observation/_search', { headers: form, body: 'patient=p1&_count=10' });
    const next = link(first, 'next');
    expect(next).toMatch(/\/Observation\?_page_token=[\w-]+$/);
    expect(ids(await server.get(follow(next)))).toHaveLength(3);
  });

  it('takes a page token in the form', async () => {
    const first = await server.get('/Observation?patient=p1&_count=10');
    const body = follow(link(first, 'next')).split('?')[1] ?? '';
    expect(ids(await server.ask('POST', '/Observation/_search', { headers: form, body }))).toHaveLength(3);
  });

  it('takes no body at all', async () => {
    expect(ids(await server.ask('POST', '/Patient/_search?family=tremblay'))).toEqual(['p1']);
  });

  it('takes _format and _pretty in the form', async () => {
    const answer = await server.ask('POST', '/Patient/_search', { headers: form, body: '_pretty=true&_format=json' });
    expect(answer.text).toContain('\n  "type": "searchset"');
    const turtle = await server.ask('POST', '/Patient/_search', { headers: form, body: '_format=ttl' });
    expect(turtle.status).toBe(406);
  });

  it.each([
    ['application/x-www-form-urlencoded', 200],
    ['application/x-www-form-urlencoded; charset=UTF-8', 200],
    ['APPLICATION/X-WWW-FORM-URLENCODED;charset="utf-8"', 200],
    ['application/x-www-form-urlencoded; charset=latin1', 415],
    ['application/json', 415],
    ['application/fhir+json', 415],
    ['multipart/form-data; boundary=x', 415],
  ])('Content-Type %s → %i', async (type, status) => {
    const answer = await server.ask('POST', '/Patient/_search', {
      headers: { 'Content-Type': type },
      body: 'active=true',
    });
    expect([answer.status, answer.json.resourceType]).toEqual([status, status === 200 ? 'Bundle' : 'OperationOutcome']);
  });

  it('refuses a body without a Content-Type, one that is not gzip as it says and one that is not UTF-8', async () => {
    expect((await server.ask('POST', '/Patient/_search', { body: 'active=true' })).status).toBe(415);
    const gzip = { ...form, 'Content-Encoding': 'gzip' };
    expect((await server.ask('POST', '/Patient/_search', { headers: gzip, body: 'x' })).status).toBe(400);
    const latin1 = Buffer.from('family=C\u00f4t\u00e9', 'latin1');
    expect((await server.ask('POST', '/Patient/_search', { headers: form, body: latin1 })).status).toBe(400);
  });

  it('a search that is too long for a next link is refused where more remains', async () => {
    const values = Array.from({ length: 90 }, () => randomBytes(150).toString('base64url')).join(',');
    const long = `code=8302-2,${values}&_count=5`;
    const answer = await server.ask('POST', '/Observation/_search', { headers: form, body: long });
    expect([answer.status, answer.json.issue[0].code]).toEqual([400, 'too-long']);
    const all = await server.ask('POST', '/Observation/_search', { headers: form, body: `${long}0` });
    expect(all.status).toBe(200);
    expect(ids(all)).toHaveLength(25);
  });
});
