// https://hl7.org/fhir/R4/http.html#search, as pages
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { plain } from '../smart/pages/support/visitor.ts';

const browser = { Accept: 'text/html' };
let server: Served;
beforeAll(async () => {
  const names = ['Adams', 'Baker', 'Clark'];
  const patients = names.map((family, at) =>
    patient(`p${at}`, { name: [{ family, given: ['<i>Ann'] }], birthDate: `195${at}-02-03`, gender: 'female' }),
  );
  const luc = patient('luc', {
    active: false,
    gender: 'male',
    name: [
      { use: 'nickname', given: ['Luc'] },
      { use: 'official', family: 'Fraser', given: ['Lucas'] },
    ],
    link: [{ other: { reference: 'Patient/p1' }, type: 'replaced-by' }],
  });
  const refuted = {
    resourceType: 'Condition',
    id: 'c1',
    subject: { reference: 'Patient/p1' },
    code: { text: 'Asthma' },
    verificationStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'refuted' }],
    },
  };
  const active = {
    resourceType: 'Condition',
    id: 'c2',
    subject: { reference: 'Patient/p1' },
    code: { text: 'Gout' },
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
    },
  };
  server = await serve([
    ...patients,
    luc,
    refuted,
    active,
    observation('o1', { subject: { reference: 'Patient/p1' } }),
  ]);
});
afterAll(() => server.close());

const get = async (path: string): Promise<string> => {
  const { status, text } = await server.get(path, browser);
  expect([path, status]).toEqual([path, 200]);
  return text;
};
/** The texts of the cells of each row. */
const rows = (html: string): readonly (readonly string[])[] =>
  [...html.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell = '']) => plain(cell)),
  );
const links = (html: string): readonly string[] =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => plain(href));

describe('results', () => {
  it('are a table of the records, by their titles, with elements that people search by', async () => {
    const [head = [], first = []] = rows(await get('/Patient?_sort=birthdate'));
    expect(head[0]).toBe('Record');
    expect(head.join()).toContain('Birth date ▲');
    expect(first[0]).toContain('Adams');
    expect(first.join()).toContain('<i>Ann');
    expect(first.join()).toContain('1950');
  });

  it('are sorted by a click on the heading of a column, in both directions', async () => {
    const html = await get('/Patient?gender=female');
    const sort = links(html).find(href => href.includes('_sort=birthdate')) ?? '';
    expect(sort).toBe('/r4/demo/Patient?gender=female&_sort=birthdate');
    const again = links(await get(sort.slice('/r4/demo'.length))).find(href => href.includes('_sort=-birthdate'));
    const last = rows(await get((again ?? '').slice('/r4/demo'.length)))[1];
    expect(last?.[0]).toContain('Clark');
  });

  it('mark records that are not current, and have the official name beside the nickname', async () => {
    const [, ...found] = rows(await get('/Patient?name=fraser&_columns=gender'));
    expect(found.map(([record]) => record)).toEqual(['Lucas Fraser (Luc) Not in use Replaced by another record']);
    const [, ...conditions] = rows(await get('/Condition?_columns=code'));
    expect(new Set(conditions.map(([record]) => record))).toEqual(new Set(['Asthma Refuted', 'Gout']));
    const { text } = await server.get('//explorer/demo/suggest?types=Patient&text=luc', browser);
    expect(plain(text)).toBe('Lucas Fraser (Luc) – Not in use – Replaced by another record');
    const french = await server.get('/Patient/luc', { ...browser, 'Accept-Language': 'fr' });
    expect(plain(french.text)).toContain('Lucas Fraser (Luc) Inactif Remplacé par un autre dossier');
  });

  it('have the columns that the visitor chooses, on each page', async () => {
    const html = await get('/Patient?_count=1&_columns=gender&_columns=_lastUpdated');
    expect(rows(html)[0]).toEqual(['Record', 'Gender', 'Last changed']);
    const next = links(html).find(href => href.includes('_page_token')) ?? '';
    expect(next).toContain('_columns=gender&_columns=_lastUpdated');
    const second = await get(next.slice('/r4/demo'.length));
    expect(rows(second)[0]).toEqual(['Record', 'Gender', 'Last changed']);
    expect(rows(second)[1]?.[0]).not.toBe(rows(html)[1]?.[0]);
  });

  it('keep the search on later pages: they say it, sort it, change it, and lead back to its beginning', async () => {
    const html = await get('/Patient?gender=female&_sort=birthdate&_count=1');
    const next = links(html).find(href => href.includes('_page_token')) ?? '';
    const second = await get(next.slice('/r4/demo'.length));
    expect(plain(second)).toContain('GET Patient?gender=female&_sort=birthdate&_count=1');
    expect(rows(second)[0]).toEqual(rows(html)[0]);
    const found = links(second);
    expect(found).toContain('/r4/demo/Patient?gender=female&_count=1&_sort=-birthdate');
    expect(found).toContain('/explorer/demo/types/Patient?gender=female&_sort=birthdate&_count=1');
    expect(found).toContain('/r4/demo/Patient?gender=female&_sort=birthdate&_count=1'); // the first page
    for (const href of found.filter(href => href.startsWith('/r4/demo/Patient?')))
      expect([href, (await server.get(href.slice('/r4/demo'.length), browser)).status]).toEqual([href, 200]);
    const json = await get(`${next.slice('/r4/demo'.length)}&_view=json`);
    expect(plain(json)).toContain('GET Patient?gender=female&_sort=birthdate&_count=1');
  });

  it('of a later page whose link does not name the search have no link that would need it', async () => {
    const { json } = await server.get('/Patient?gender=female&_count=1');
    const { link } = json as { link: { relation: string; url: string }[] };
    const next = link.find(({ relation }) => relation === 'next')?.url ?? '';
    const second = await get(next.slice(server.base.length));
    for (const href of links(second).filter(href => href.startsWith('/r4/demo/Patient?')))
      expect([href, (await server.get(href.slice('/r4/demo'.length), browser)).status]).toEqual([href, 200]);
  });

  it('are XML with linked references where the visitor asks for it', async () => {
    const html = await get('/Observation?_view=xml');
    expect(html).toContain('<a href="/r4/demo/Patient/p1">');
    expect(plain(html)).toContain('<type value="searchset"/>');
  });

  it('are JSON with linked references where the visitor asks for it', async () => {
    const html = await get('/Observation?_view=json');
    expect(html).toContain('<a href="/r4/demo/Patient/p1">');
    expect(html).toContain('searchset');
  });

  it('say how to request them by curl, fetch and fhirclient', async () => {
    const html = plain(await get("/Patient?name=o'neil"));
    expect(html).toContain(`'${server.base}/Patient?name=o%27neil'`);
    expect(html).toContain("await client.request('Patient?name=o%27neil')");
    expect(html).toContain('No record matches');
  });

  it('are JSON for every other request that reads', async () => {
    for (const path of ['/Patient/_history', '/_history', '/?_type=Patient']) {
      const { status, headers } = await server.get(path, browser);
      expect([path, headers['content-type']]).toEqual([path, 'text/html; charset=utf-8']);
      expect([200, 404, 405]).toContain(status);
    }
  });
});

describe('of several types and of operations, results', () => {
  let all: Served;
  beforeAll(async () => {
    all = await serve(
      [patient('p1', { name: [{ family: 'Roy' }] }), observation('o1'), observation('o2')],
      ['--interface', 'r4'],
    );
  }, 60_000);
  afterAll(() => all.close());
  const page = async (path: string): Promise<string> => {
    const { status, text } = await all.get(path, browser);
    expect([path, status]).toEqual([path, 200]);
    return text;
  };

  it('are a table of the records with their types, and lead from page to page', async () => {
    const html = await page('/?_type=Patient,Observation&_count=2');
    expect(rows(html)[0]).toEqual(['Record', 'Type', 'Last changed']);
    expect(rows(html)).toHaveLength(3);
    const seen: string[] = [];
    let at: string | undefined = '/?_type=Patient,Observation&_count=2';
    while (at !== undefined) {
      const shown = await page(at);
      seen.push(...links(shown).filter(href => /^\/r4\/demo\/(Patient|Observation)\/\w+$/.test(href)));
      at = links(shown)
        .find(href => href.includes('_page_token') && /rel="next"/.test(shown))
        ?.slice('/r4/demo'.length);
      if (seen.length > 10) break;
    }
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(3);
    expect(links(html)).toContain('/r4/demo/Patient/p1');
  });

  it('are JSON where that is chosen, without a form of one type', async () => {
    const html = await page('/?_type=Patient');
    const json = links(html).find(href => href.includes('_view=json')) ?? '';
    expect(await page(json.slice('/r4/demo'.length))).toContain('resourceType');
    expect(html).not.toContain('Change the search');
  });
  it.each(['/Patient/p1/$everything', '/Patient/$everything', '/Observation/$lastn?patient=p1'])(
    '%s is a table of records if it is a Bundle',
    async path => {
      const html = await page(path);
      expect(rows(html).flat().join()).toMatch(/Observation|Body height|Measurement/);
      expect(html).not.toMatch(/_history|Bundle \//);
    },
  );

  it.each([
    '/Patient/p1/$meta',
    '/Patient/$meta',
    '/$meta',
    '/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/narrative-status',
  ])('%s is a sheet without the views of a stored record', async path => {
    const html = await page(path);
    expect(plain(html)).toContain('The answer of an operation, which is not a stored record.');
    expect(plain(html)).not.toMatch(/Parameters \/|Validation|Versions/);
    for (const href of links(html).filter(link => /\$\w+/.test(link) && !/language|sign-in/.test(link)))
      expect([href, (await all.get(href.slice('/r4/demo'.length), browser)).status]).toEqual([href, 200]);
  });
});
