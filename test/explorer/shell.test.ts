// https://hl7.org/fhir/R4/http.html#mime-type and https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wantsPage } from '../../src/http/explorer.ts';
import { localPath } from '../../src/explorer/shell/paths.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('a page is preferred', () => {
  it.each<[string, string | undefined, string, boolean, string]>([
    ['GET', browser.Accept, '', true, 'by browsers'],
    ['HEAD', 'text/html', '', true, 'also by HEAD'],
    ['POST', 'text/html', '', false, 'never by other methods'],
    ['GET', undefined, '', false, 'not without Accept'],
    ['GET', '*/*', '', false, 'not by a wildcard'],
    ['GET', 'text/*', '', false, 'not by a wildcard of text'],
    ['GET', 'application/fhir+json, text/html', '', false, 'not beside JSON of FHIR'],
    ['GET', 'application/json;q=0.5, text/html', '', true, 'by a higher quality than JSON'],
    ['GET', 'text/html;q=0, */*', '', false, 'not if it is refused'],
    ['GET', browser.Accept, '_format=json', false, 'not by _format=json'],
    ['GET', 'application/json', 'a=1&_format=html', true, 'by _format=html'],
    ['GET', '*/*', '_format=text%2Fhtml', true, 'by _format=text/html'],
  ])('%s %s ?%s: %s, %s', (method, accept, query, expected) => {
    expect(wantsPage({ method, headers: accept === undefined ? {} : { accept } }, query)).toBe(expected);
  });
});

describe('a path of this server', () => {
  it.each([
    ['/r4/demo/Patient?name=a', true],
    ['//evil.example/', false],
    ['/\\evil.example/', false],
    ['https://evil.example/', false],
    ['/a\nb', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(localPath(text) !== undefined).toBe(expected);
  });
});

describe('pages and JSON of the same URL', () => {
  let server: Served;
  beforeAll(async () => {
    server = await serve([patient('p1', { name: [{ family: '<b>Roy' }] })]);
  });
  afterAll(() => server.close());

  it('differ by Accept, and vary by it', async () => {
    const [page, json] = [await server.get('/Patient', browser), await server.get('/Patient')];
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect([json.status, json.headers['content-type']]).toEqual([200, 'application/fhir+json; charset=utf-8']);
    for (const { headers } of [page, json]) expect(headers.vary).toContain('Accept');
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(page.text).toContain('/r4/demo/Patient/p1');
  });

  it('are pages at the root for browsers only', async () => {
    expect((await server.get('//', browser)).text).toContain('<h1>Explorer</h1>');
    expect((await server.get('//')).status).toBe(404);
  });

  it('are off by a setting: browsers get what other clients get', async () => {
    const off = await serve([patient('p1')], ['--explorer', 'off']);
    const [record, root, own] = [
      await off.get('/Patient/p1', browser),
      await off.get('//', browser),
      await off.get('//explorer', browser),
    ];
    await off.close();
    expect([record.status, record.headers['content-type']]).toEqual([200, 'application/fhir+json; charset=utf-8']);
    expect([root.status, own.status, own.json.resourceType]).toEqual([404, 404, 'OperationOutcome']);
  });

  it('are JSON where documents are', async () => {
    expect((await server.get('/openapi.json', browser)).headers['content-type']).toContain('application/json');
  });

  it('report the same error', async () => {
    const target = '/Patient?nmae=roy';
    const [page, json] = [await server.get(target, browser), await server.get(target)];
    expect([page.status, json.status]).toEqual([400, 400]);
    expect(page.text).toContain('<code>not-supported</code>');
    expect(page.text).toContain('<a href="/explorer/demo/types/Patient?nmae=roy">Change the search</a>');
    expect((await server.get('//r4/none/Patient', browser)).status).toBe(404);
  });

  it('report a path of nothing to browsers, and lead to what exists', async () => {
    for (const path of ['//nothing', '//r4', '//explorer/demo/nothing']) {
      const [page, json] = [await server.get(path, browser), await server.get(path)];
      expect([path, page.status, page.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(page.text).toContain('Nothing exists under this path.');
      expect(page.text).toMatch(/<main[^]*<a href="\/">Go to the first page<\/a>/);
      expect([json.status, json.json.resourceType]).toEqual([404, 'OperationOutcome']);
    }
    const record = await server.get('/Patient/none', browser);
    expect(record.text).toMatch(/<main[^]*<a href="\/r4\/demo">Interface<\/a>/);
  });

  it('return from the choice of a language to the page, and to no other server', async () => {
    const path = '//explorer/language?to=fr&from=';
    const chosen = await server.get(`${path}${encodeURIComponent('/r4/demo/Patient?_count=1')}`);
    expect([chosen.status, chosen.headers.location]).toEqual([303, '/r4/demo/Patient?_count=1']);
    const cookie = [chosen.headers['set-cookie']].flat().find(one => one?.includes('language')) ?? '';
    expect((await server.get('/Patient', { ...browser, Cookie: cookie })).text).toContain('<html lang="fr-CA">');
    expect((await server.get(`${path}${encodeURIComponent('//evil.example')}`)).headers.location).toBe('/');
  });

  it('refuse forms that are too long, of another type, or without the token of the page', async () => {
    const send = async (body: string, type = 'application/x-www-form-urlencoded') => {
      const headers = { ...browser, 'Content-Type': type };
      return (await server.ask('POST', '//explorer/demo/sign-in', { headers, body })).status;
    };
    expect(await send(`access=${'a'.repeat(40_000)}`)).toBe(413);
    expect(await send('how=token', 'text/plain')).toBe(415);
    expect(await send('how=token')).toBe(403);
  });
});
