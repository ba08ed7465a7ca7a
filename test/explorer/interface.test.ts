// https://hl7.org/fhir/R4/capabilitystatement.html and https://hl7.org/fhir/R4/search.html, as pages with forms
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplesOf } from '../../src/explorer/interface/code-samples.ts';
import { queryOf } from '../../src/explorer/interface/fields.ts';
import { readConfig } from '../../src/config/read.ts';
import { requireModel } from '../support/loaded-once.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { plain } from '../smart/pages/support/visitor.ts';

const browser = { Accept: 'text/html' };
let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1', { name: [{ family: 'Roy', given: ['Ann'] }] })]);
});
afterAll(() => server.close());

const get = async (path: string): Promise<string> => {
  const { status, text } = await server.get(path, browser);
  expect([path, status]).toEqual([path, 200]);
  return text;
};

describe('the interface', () => {
  it('lists every declared type, each with a page that has every search parameter', async () => {
    const { model } = server.running.engine;
    for (const path of ['', '/', '/metadata']) {
      const html = await get(path);
      for (const name of model.types.keys()) expect(html).toContain(`/explorer/demo/types/${name}"`);
    }
    for (const { name, parameters } of model.types.values()) {
      const html = await get(`//explorer/demo/types/${name}`);
      for (const code of parameters.keys())
        expect([name, code, html.includes(`name="v.${code}"`)]).toEqual([name, code, true]);
      expect(html.length).toBeLessThan(100_000);
    }
    expect((await server.get('//explorer/demo/types/Nothing', browser)).status).toBe(404);
  });

  it.each(['', '//explorer/demo/profiles', '//explorer/demo/indexes'])(
    'has a filter of the list of types where they are many: `%s`',
    async path => {
      expect(await get(path)).not.toContain('_types');
      const all = await serve([], ['--interface', 'r4']);
      try {
        const types = async (query: string): Promise<readonly string[]> => {
          const { text } = await all.get(`${path}${query}`, browser);
          const list = text.slice(text.lastIndexOf('<tbody>'));
          return [...list.matchAll(/<th scope="row">\s*<a[^>]*>(\w+)</g)].map(([, name = '']) => name);
        };
        expect((await types('')).length).toBeGreaterThan(140);
        expect(await types('?_types=request+MEDIC')).toEqual(['MedicationRequest']);
        expect(await types('?_types=nothing')).toEqual([]);
        const { text } = await all.get(`${path}?_types=medication`, browser);
        expect(plain(text)).toMatch(/\d of 14\d types\. Show all types/);
        expect(text).toMatch(/<input\s+type="search"[^>]*value="medication"/);
      } finally {
        await all.close();
      }
    },
  );

  it('has inputs for dates, codes and references, filled with the search that is changed', async () => {
    const html = await get('//explorer/demo/types/Patient?birthdate=ge1980-01-02&gender=female&family:exact=Roy');
    expect(html).toMatch(/<input\s+type="date"\s+id="v.birthdate"[^>]*value="1980-01-02"/);
    expect(html).toMatch(/<select name="p.birthdate"[^]*?<option\s+selected>ge<\/option>/);
    expect(html).toMatch(/<select\s+id="v.gender"[^]*?<option\s+selected>female<\/option>/);
    expect(html).toMatch(/<select name="m.family"[^]*?<option\s+selected>exact<\/option>/);
    const partial = await get('//explorer/demo/types/Patient?birthdate=1980');
    expect(partial).toMatch(/<input\s+type="text"\s+id="v.birthdate"[^>]*value="1980"/);
  });

  it('leads from the form to the search, and from an id to the record', async () => {
    const form = 'v.family=roy&m.family=exact&v.birthdate=1980-01-02&p.birthdate=ge&v.name=&_sort=-birthdate&_count=';
    const sent = await server.get(`//explorer/demo/types/Patient/search?${form}`, browser);
    const query = new URLSearchParams((sent.headers.location ?? '').split('?')[1]);
    expect([sent.status, Object.fromEntries(query)]).toEqual([
      303,
      { 'family:exact': 'roy', birthdate: 'ge1980-01-02', _sort: '-birthdate' },
    ]);
    for (const id of ['', 'a b']) {
      const path = `//explorer/demo/types/Patient/search?${new URLSearchParams({ id }).toString()}`;
      const wrong = await server.get(path, browser);
      expect([wrong.status, plain(wrong.text)]).toEqual([400, expect.stringContaining(`\`${id}\` is not an id`)]);
    }
    const byId = await server.get('//explorer/demo/types/Patient/search?id=p1', browser);
    expect(byId.headers.location).toBe('/r4/demo/Patient/p1');
  });

  it('suggests records for a reference by what is typed', async () => {
    const html = await get('//explorer/demo/suggest?types=Patient&text=roy');
    expect(html).toContain('<option value="Patient/p1">');
    expect(html).toContain('Ann');
    expect(await get('//explorer/demo/suggest?types=Patient&text=nobody')).not.toContain('<option');
  });
});

describe('a form', () => {
  it('sends no parameter that the type does not have', async () => {
    const { model } = await requireModel(readConfig([]));
    const type = model.types.get('Patient');
    if (type === undefined) throw new Error('not declared');
    expect(queryOf(type, new URLSearchParams('v.none=1&access_token=x&v.gender= male ')).toString()).toBe(
      'gender=male',
    );
  });
});

describe('code', () => {
  it('has a token only where the server requires one', () => {
    const [open, secured] = [false, true].map(one =>
      samplesOf('http://h/r4/demo', 'Patient', one).map(({ text }) => text),
    );
    expect(open?.join('\n')).not.toContain('Bearer');
    expect(secured?.[0]).toBe(
      `curl -H 'Accept: application/fhir+json' -H "Authorization: Bearer $TOKEN" 'http://h/r4/demo/Patient'`,
    );
  });
});
