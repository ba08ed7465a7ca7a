// https://hl7.org/fhir/R4/http.html#read, https://hl7.org/fhir/R4/http.html#history
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { shownText } from '../support.ts';

const headers = { Accept: 'text/html' };
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const records = [
  {
    resourceType: 'Patient',
    id: 'p1',
    text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml"><h1>Ann</h1></div>' },
    name: [{ family: 'Roy', given: ['Ann'] }],
    gender: 'woman',
    photo: [{ contentType: 'image/png', data: png }],
    managingOrganization: { reference: 'Organization/o1' },
  },
  { resourceType: 'Organization', id: 'o1', name: 'Clinique <b>Est</b>' },
];

describe('the pages of a record', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve(records, ['--interface', 'r4']);
  }, 120_000);
  afterAll(() => server.close());

  const textOf = async (path: string): Promise<string> => {
    const { status, text } = await server.get(path, headers);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(100_000);
    return text;
  };

  it('show it as a sheet with links to other records', async () => {
    const text = await textOf('/Patient/p1');
    expect(text).toContain('<title>Ann Roy – Patient/p1 –');
    expect(text).toContain('<a href="/r4/demo/Organization/o1">');
    expect(await textOf('/Organization/o1')).toContain('<bdi>Clinique &lt;b&gt;Est&lt;/b&gt;</bdi>');
  });

  it('show its pictures, and nothing else of it, as files', async () => {
    const src = /<img class="picture" src="([^"]*)"/.exec(await textOf('/Patient/p1'))?.[1]?.replaceAll('&amp;', '&');
    const picture = await server.get(`/${src}`);
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
    expect(picture.bytes).toEqual(Buffer.from(png, 'base64'));
    expect(picture.headers['x-content-type-options']).toBe('nosniff');
    for (const at of ['Patient.name[0]', 'Patient', '', 'Patient.constructor', 'Patient.photo[1]'])
      expect((await server.get(`//explorer/demo/picture/Patient/p1?at=${at}`)).status).toBe(404);
  });

  it('show the findings of its validation beside the elements', async () => {
    const text = shownText(await textOf('/Patient/p1?_view=check'));
    expect(text).toContain('Validation found one issue.');
    expect(text).toMatch(/Gender woman Error:/);
    expect(shownText(await textOf('/Patient/p1'))).not.toContain('Error:');
  });

  it('show it as JSON with linked references', async () => {
    const text = await textOf('/Patient/p1?_view=json');
    expect(text).toContain('&quot;family&quot;: &quot;Roy&quot;');
    expect(text).toContain('<a href="/r4/demo/Organization/o1">');
  });

  it('show it as XML with linked references', async () => {
    const text = await textOf('/Patient/p1?_view=xml');
    expect(text).toContain('&lt;Patient xmlns=&quot;http://hl7.org/fhir&quot;&gt;');
    expect(text).toContain('&lt;family value=&quot;Roy&quot;/&gt;');
    expect(text).toContain(
      '&lt;reference value=&quot;<a href="/r4/demo/Organization/o1">Organization/o1</a>&quot;/&gt;',
    );
    expect(text).toMatch(/<a href="[^"]*_view=xml"\s+aria-current="page"\s*>XML<\/a>/);
  });

  it('show its versions, and each of them', async () => {
    const text = await textOf('/Patient/p1/_history');
    expect(text).toContain('<a href="/r4/demo/Patient/p1/_history/1">');
    expect(shownText(await textOf('/Patient/p1/_history/1'))).toContain('This is version 1, as it was stored.');
    for (const path of ['/Organization/_history', '/_history'])
      expect(await textOf(path)).toContain('<a href="/r4/demo/Organization/o1/_history/1">');
    const first = await textOf('/_history?_count=1');
    const next = /<a href="([^"]*)" rel="next">/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const { status, text: second } = await server.get(`/${next}`, headers);
    expect([status, second.includes('/_history/1')]).toEqual([200, true]);
  });

  it('answer what the FHIR interface answers, for a record that does not exist', async () => {
    for (const path of ['/Patient/none', '/Patient/p1/_history/7', '/Nothing/p1'])
      expect((await server.get(path, headers)).status).toBe((await server.get(path)).status);
  });
});
