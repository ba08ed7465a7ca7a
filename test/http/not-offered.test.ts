// https://hl7.org/fhir/R4/http.html#Status-Codes
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')]);
});
afterAll(() => server.close());

describe('an interaction that is not declared', () => {
  it.each([
    ['PUT', '/Patient/p1', 405, 'GET, HEAD'],
    ['PATCH', '/Patient/p1', 405, 'GET, HEAD'],
    ['DELETE', '/Patient/p1', 405, 'GET, HEAD'],
    ['POST', '/Patient/p1', 405, 'GET, HEAD'],
    ['OPTIONS', '/Patient/p1', 405, 'GET, HEAD'],
    ['TRACE', '/Patient/p1', 405, 'GET, HEAD'],
    ['POST', '/Patient', 405, 'GET, HEAD'],
    ['PUT', '/Patient?identifier=1', 405, 'GET, HEAD'],
    ['PATCH', '/Patient?identifier=1', 405, 'GET, HEAD'],
    ['DELETE', '/Patient?identifier=1', 405, 'GET, HEAD'],
    ['PUT', '/Patient/_search', 405, 'GET, HEAD, POST'],
    ['GET', '/Patient/p1/_history/1', 405, ''],
    ['GET', '/Patient/p1/_history', 405, ''],
    ['GET', '/Patient/_history', 405, ''],
    ['GET', '/Media', 405, 'POST'],
    ['POST', '/Media/_search', 405, ''],
    ['GET', '/Media/1', 405, ''],
    ['PUT', '/Media/1', 405, ''],
    ['DELETE', '/Media/1', 405, ''],
    ['POST', '', 405, ''],
    ['POST', '/', 405, ''],
    ['GET', '', 405, ''],
    ['GET', '/', 405, ''],
    ['GET', '?name=a', 405, ''],
    ['GET', '/_history', 405, ''],
    ['POST', '/_search', 405, ''],
    ['DELETE', '', 405, ''],
    ['POST', '/metadata', 405, 'GET, HEAD'],
    ['DELETE', '//healthz', 405, 'GET, HEAD'],
    ['POST', '//readyz', 405, 'GET, HEAD'],
    ['GET', '/Account', 404, undefined],
    ['PUT', '/Account/1', 404, undefined],
    ['POST', '/$validate', 404, undefined],
    ['POST', '/Patient/$validate', 404, undefined],
    ['GET', '/Patient/p1/$everything', 404, undefined],
    ['GET', '/Patient/p1/Condition', 404, undefined],
    ['GET', '/Patient/p1/*', 404, undefined],
    ['PUT', '//r4/nobody/Patient/p1', 404, undefined],
    ['POST', '//r4/nobody', 404, undefined],
  ])('%s %s → %i, Allow: %s', async (method, path, status, allow) => {
    const answer = await server.ask(method, path, { headers: { 'Content-Type': 'application/fhir+json' } });
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
    expect(answer.json.resourceType).toBe('OperationOutcome');
    expect(answer.json.issue[0].diagnostics).toMatch(/^.{10,}\.$|\?$/s);
  });

  it.each([
    ['PUT', '/Patient/p1', '(update) is not supported: the interface declares only read and search-type for Patient'],
    ['PUT', '/Patient/p1', ', and update for no type. `metadata` lists the interactions of each type.'],
    ['POST', '/Patient', ', and create for Media. '],
    ['GET', '/Media', 'the interface declares only create for Media, and search-type for Appointment, Condition'],
    ['GET', '', 'Add a type to the base URL, as in `Appointment?_count=10`.'],
    ['POST', '', 'declares neither batch nor transaction. Send each request on its own'],
    ['TRACE', '/Patient', '`TRACE` is not supported on this path. It allows GET, HEAD.'],
  ])('%s %s is answered with what is declared instead', async (method, path, text) => {
    const { json } = await server.ask(method, path, { headers: { 'Content-Type': 'application/fhir+json' } });
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('is refused on HEAD without a body', async () => {
    const { status, text } = await server.ask('HEAD', '/Account');
    expect([status, text]).toEqual([404, '']);
  });
});

describe('a path with a slash too few or too many', () => {
  it.each([
    ['/r4/demoPatient', 'A slash is missing after the base URL: `{url}/r4/demo/Patient`.'],
    ['/r4/demoPatient/p1', 'A slash is missing after the base URL: `{url}/r4/demo/Patient`.'],
    ['/r4/demometadata', 'A slash is missing after the base URL: `{url}/r4/demo/metadata`.'],
    ['/r4/Patient/p1', 'The partition is missing before `Patient`: `{url}/r4/{partition}/Patient`.'],
    ['/r4demo/Patient', 'Did you mean `{url}/r4/demo/Patient`?'],
    ['/r4//demo/Patient', 'Did you mean `{url}/r4/demo/Patient`?'],
    ['/r4', 'The base URL of FHIR is `{url}/r4/{partition}`.'],
    ['/Patient', 'The base URL of FHIR is `{url}/r4/{partition}`.'],
    ['/r4/demo/Patient/', 'There is a slash too many: `Patient` has none at its end'],
    ['/r4/demo//Patient/p1', 'There is a slash too many: `Patient/p1` has none at its end'],
  ])('%s is 404 with the path that was meant', async (path, text) => {
    const { status, json } = await server.get(`/${path}`);
    expect(status).toBe(404);
    expect(json.issue[0].diagnostics).toContain(text.replace('{url}', new URL(server.base).origin));
  });
});
