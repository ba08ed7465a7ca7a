// Exports as pages: who may start one, its state and files, and that forms of other sites start and remove nothing.
// https://hl7.org/fhir/uv/bulkdata/STU2/export.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportFolder } from '../bulk/export/support.ts';
import { onlyOfR4 } from '../support/r4-of.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';
import { shownText } from './support.ts';

const root = '//explorer/demo/exports';
const tokens = testTokens();
const bearer = (scope: string, client: string) => ({
  Accept: 'text/html',
  ...tokens.bearer({ scope, client }),
});
type Headers = Record<string, string>;
const backend: Headers = bearer('system/*.rs', 'backend');
const other: Headers = bearer('system/*.rs', 'other');

let served: Served;
beforeAll(async () => {
  const folders = ['--capability', onlyOfR4(['Patient', 'Group', 'Observation']), ...exportFolder()];
  const records = ['a', 'b'].map(id => ({ resourceType: 'Patient', id, gender: 'female' }));
  served = await serve(records, folders, undefined, { verify: tokens.verify });
});
afterAll(() => served.close());

/** A browser that sends the form of a page, with its token. */
async function post(path: string, fields: object, headers: Headers = backend): Promise<Answer> {
  const page = await served.get(path, headers);
  const cookie = [page.headers['set-cookie']]
    .flat()
    .map(one => one?.split(';')[0] ?? '')
    .join('; ');
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
  const body = new URLSearchParams({ token, ...fields }).toString();
  const type = 'application/x-www-form-urlencoded';
  return served.ask('POST', path, { headers: { ...headers, Cookie: cookie, 'Content-Type': type }, body });
}

const start = async (fields: object = {}): Promise<string> => {
  const { status, headers } = await post(root, { level: '', ...fields });
  expect([status, headers.location]).toEqual([303, expect.stringMatching(/^\/explorer\/demo\/exports\/[\w-]{32}$/)]);
  return `/${headers.location}`;
};

async function complete(job: string): Promise<Answer> {
  for (;;) {
    const page = await served.get(job, backend);
    if (!page.text.includes('Look again')) return page;
    await new Promise(resolve => setTimeout(resolve, 25));
  }
}

describe('the pages of exports', () => {
  it('start one, show its state and its files, and remove it', async () => {
    const job = await start({ level: 'Patient/' });
    const page = await complete(job);
    expect(shownText(page.text)).toMatch(/State: complete\..*Patient\.1\.ndjson 2 .*Delete the export/);
    const file = await served.get(`${job}/Patient.1.ndjson`, backend);
    expect([file.status, file.headers['content-type']]).toEqual([200, 'application/fhir+ndjson']);
    expect(file.headers['content-disposition']).toBe('attachment; filename="Patient.1.ndjson"');
    expect(file.text.trim().split('\n')).toHaveLength(2);
    const rest = await served.get(`${job}/Patient.1.ndjson`, { ...backend, Range: 'bytes=10-' });
    expect([rest.status, rest.text]).toEqual([206, file.text.slice(10)]);
    expect((await served.get(`${job}/Group.1.ndjson`, backend)).status).toBe(404);
    expect((await served.get(root, backend)).text).toContain(job.slice(1));
    expect((await post(job, {})).headers.location).toBe('/explorer/demo/exports');
    expect((await served.get(job, backend)).status).toBe(404);
    expect((await served.get(root, backend)).text).not.toContain(job.slice(1));
  });

  it('belong to their client, and to those whose access covers them', async () => {
    const job = await start();
    await complete(job);
    const narrow = bearer('system/Observation.rs', 'backend');
    for (const headers of [other, narrow]) {
      expect([403, 404]).toContain((await served.get(job, headers)).status);
      expect([403, 404]).toContain((await served.get(`${job}/Patient.1.ndjson`, headers)).status);
      expect((await served.get(root, headers)).text).not.toContain(job.slice(1));
    }
    expect((await served.get(root, { Accept: 'text/html' })).status).toBe(401);
    expect((await served.get(job, { Accept: 'text/html' })).status).toBe(401);
  });

  it('say why a person may not start one, who does not', async () => {
    const person = bearer('user/*.rs', 'app');
    const page = await served.get(root, person);
    expect([page.status, shownText(page.text)]).toEqual([200, expect.stringContaining('scopes of the context system')]);
    expect(page.text).not.toContain('Start the export');
  });

  it('show a form that is refused again, with what was sent', async () => {
    const page = await post(root, { level: 'Patient/', since: 'yesterday', type: 'Patient' });
    expect(page.status).toBe(400);
    expect(page.text).toMatch(/id="since-error"/);
    expect(page.text).toMatch(/value="yesterday"/);
    expect(page.text).toMatch(/<option value="Patient\/" selected>/);
    expect(page.text).toMatch(/value="Patient" +checked/);
    expect((await post(root, { level: 'Group/:id/', id: 'none' })).status).toBe(404);
    expect((await post(root, { level: 'Group/:id/', id: '../a' })).status).toBe(404);
  });

  it('accept no form without their token, and start nothing by a link', async () => {
    const job = await start();
    const headers = { ...backend, 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const path of [root, job])
      expect((await served.ask('POST', path, { headers, body: 'level=' })).status).toBe(403);
    const before = (await served.get(root, backend)).text;
    const link = await served.get('/$export', backend);
    expect([link.status, link.headers.location]).toEqual([303, '/explorer/demo/exports']);
    expect((await served.get(root, backend)).text.match(/exports\/[\w-]{32}/g)).toEqual(
      before.match(/exports\/[\w-]{32}/g),
    );
    const [, id = ''] = /([\w-]{32})$/.exec(job) ?? [];
    expect((await served.get(`/_jobs/${id}`, backend)).headers.location).toBe(job.slice(1));
    await complete(job);
    const file = await served.get(`/_jobs/${id}/Patient.1.ndjson`, backend);
    expect(file.headers.location).toBe(`${job.slice(1)}/Patient.1.ndjson`);
  });

  it('do not exist where no export is declared', async () => {
    const shipped = await serve([]);
    const page = await shipped.get(root, { Accept: 'text/html' });
    await shipped.close();
    expect([page.status, page.text.includes('>Exports<')]).toEqual([404, false]);
  });
});
