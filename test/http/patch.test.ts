// https://hl7.org/fhir/R4/http.html#patch
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuesOf, keptBytes, media, png, post } from '../support/media.ts';
import type { Answer } from '../support/serve.ts';
import { communication, everything, noted, pathPatch, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

const stateOf = ({ status, headers }: Answer): readonly unknown[] => [status, headers.etag];
const versionsOf = async (path: string): Promise<number> => (await server.get(`${path}/_history`)).json.entry.length;
const made = (id: string, fields = {}) => server.put(`/Communication/${id}`, communication(id, fields));
const replaced = (path: string, value: unknown) => [{ op: 'replace', path, value }];
const noteAdded = (text: string) => [{ op: 'add', path: '/note/-', value: { text } }];
const notesOf = ({ json }: Answer): readonly string[] => (json.note ?? []).map((note: { text: string }) => note.text);

describe('a patch', () => {
  it('in JSON makes the next version', async () => {
    const created = await made('a', noted('one'));
    const answer = await server.patch('/Communication/a', replaced('/note/0/text', 'two'));
    expect(stateOf(answer)).toEqual([200, 'W/"2"']);
    expect(answer.headers.location).toBe(`${server.base}/Communication/a/_history/2`);
    expect(answer.json).toMatchObject({ sent: created.json.sent, note: [{ text: 'two' }], meta: { versionId: '2' } });
    expect((await server.get('/Communication/a')).text).toBe(answer.text);
    expect((await server.get('/Communication/a/_history/1')).text).toBe(created.text);
  });

  it('in FHIRPath makes the next version', async () => {
    await made('b', noted('one'));
    const change = pathPatch('replace', 'Communication.note[0].text', { name: 'value', valueMarkdown: 'two' });
    const answer = await server.patch('/Communication/b', change);
    expect([...stateOf(answer), answer.json.note]).toEqual([200, 'W/"2"', [{ text: 'two' }]]);
    const json = { 'Content-Type': 'application/json; charset=utf-8' };
    const again = await server.patch('/Communication/b', change, json);
    expect(stateOf(again)).toEqual([200, 'W/"2"']);
  });

  it('that changes nothing makes no version', async () => {
    const created = await made('same', noted('one'));
    for (const patch of [[], replaced('/note/0/text', 'one'), { resourceType: 'Parameters' }]) {
      const answer = await server.patch('/Communication/same', patch);
      expect([stateOf(answer), answer.text]).toEqual([[200, 'W/"1"'], created.text]);
    }
    expect(await versionsOf('/Communication/same')).toBe(1);
  });

  it('keeps the digits of decimals', async () => {
    const of = { payload: [{ contentReference: { extension: [] } }] };
    const text = JSON.stringify({ ...communication('digits'), ...of }).replace(
      '"extension":[]',
      '"extension":[{"url":"http://example.org/d","valueDecimal":1.50}]',
    );
    expect((await server.put('/Communication/digits', text)).status).toBe(201);
    const answer = await server.patch('/Communication/digits', replaced('/status', 'stopped'));
    expect(answer.text).toContain('"valueDecimal":1.50');
    expect((await server.get('/Communication/digits')).text).toContain('"valueDecimal":1.50');
  });

  it('answers in the form that the client prefers', async () => {
    await made('form', noted('zero'));
    const patch = (note: string, prefer: string) =>
      server.patch('/Communication/form', replaced('/note/0/text', note), { Prefer: `return=${prefer}` });
    expect((await patch('one', 'minimal')).text).toBe('');
    expect((await patch('two', 'representation')).json.note[0].text).toBe('two');
    expect((await patch('three', 'OperationOutcome')).json.issue[0].diagnostics).toBe(
      '`Communication/form` was updated.',
    );
  });

  it.each<[title: string, patch: object, status: number, issues: readonly string[]]>([
    ['another id', replaced('/id', 'x'), 400, ['value Communication.id']],
    ['another type', replaced('/resourceType', 'Patient'), 400, ['structure resourceType']],
    ['an unknown element', [{ op: 'add', path: '/nothing', value: 1 }], 400, ['structure Communication.nothing']],
    ['a broken rule', replaced('/status', 'none'), 422, ['code-invalid Communication.status']],
    ['a test that fails', [{ op: 'test', path: '/status', value: 'stopped' }], 422, ['conflict $this[0].value']],
    ['no patch', [{ op: 'none' }], 400, ['structure $this[0].op']],
    ['another resource', { resourceType: 'Patient', active: true }, 400, ['structure resourceType']],
    [
      'an operation that cannot be applied',
      pathPatch('replace', 'Communication.topic', { name: 'value', valueString: 'x' }),
      422,
      ['not-found Parameters.parameter[0].part[1]'],
    ],
  ])('is validated as a whole: %s', async (_, patch, status, issues) => {
    await made('checked');
    const answer = await server.patch('/Communication/checked', patch);
    expect([answer.status, issuesOf(answer)]).toEqual([status, issues]);
    expect((await server.get('/Communication/checked')).headers.etag).toBe('W/"1"');
  });

  it('of what is not there is answered as a read', async () => {
    const change = replaced('/status', 'stopped');
    expect((await server.patch('/Communication/none', change)).status).toBe(404);
    expect((await server.patch('/Communication/no_id', change)).status).toBe(404);
    await made('gone');
    await server.delete('/Communication/gone');
    expect(stateOf(await server.patch('/Communication/gone', change))).toEqual([410, 'W/"2"']);
  });

  it.each([undefined, 'text/plain', 'application/xml-patch+xml', 'application/json-patch+json; charset=latin1'])(
    'needs a format that is served: %s',
    async type => {
      const headers = { ...server.authorized(everything), ...(type === undefined ? {} : { 'Content-Type': type }) };
      const answer = await server.ask('PATCH', '/Communication/a', { headers, body: '[]' });
      expect([answer.status, answer.headers['accept-patch']]).toEqual([
        415,
        'application/json-patch+json, application/fhir+json, application/merge-patch+json, application/fhir+xml',
      ]);
    },
  );

  it('is no larger than a resource, and takes no parameters', async () => {
    await made('large');
    const large = [{ op: 'test', path: '/status', value: 'x'.repeat(1_100_000) }];
    expect((await server.patch('/Communication/large', large)).status).toBe(413);
    expect((await server.patch('/Communication/large?x=1', [])).status).toBe(400);
    expect((await server.patch('/Communication/large?_format=json', [])).status).toBe(200);
  });

  it('is declared, and listed with its formats', async () => {
    const { status, headers } = await server.patch('/Patient/p1', []);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
    const { json } = await server.get('/metadata');
    const formats = [
      'application/json-patch+json',
      'application/fhir+json',
      'application/merge-patch+json',
      'application/fhir+xml',
    ];
    expect(json.patchFormat).toEqual(formats);
    const of = (type: string) =>
      json.rest[0].resource
        .find((one: { type: string }) => one.type === type)
        .interaction.map(({ code }: { code: string }) => code);
    expect(of('Communication')).toContain('patch');
    expect(of('Patient')).not.toContain('patch');
    const none = await server.put('/Appointment/none', { resourceType: 'Appointment', id: 'none', status: 'proposed' });
    expect(none.headers.allow).toContain('PATCH');
  });
});

// https://hl7.org/fhir/R4/http.html#concurrency
describe('a patch and other writes', () => {
  const many = (work: (at: number) => Promise<Answer>) => Promise.all(Array.from({ length: 50 }, (_, at) => work(at)));
  const counted = (answers: readonly Answer[]) =>
    Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]));

  it('with If-Match is applied to the version that it names, and to no other', async () => {
    await made('m', noted('one'));
    const patch = (match: string) => server.patch('/Communication/m', noteAdded('two'), { 'If-Match': match });
    const late = await patch('W/"7"');
    expect([late.status, issuesOf(late)]).toEqual([412, ['conflict http."If-Match"']]);
    expect(stateOf(await patch('W/"1"'))).toEqual([200, 'W/"2"']);
    expect((await patch('1')).status).toBe(400);
  });

  it('requires If-Match for a type with version-aware updates', async () => {
    await server.put('/Group/g', { resourceType: 'Group', id: 'g', type: 'person', actual: true });
    const change = [{ op: 'add', path: '/quantity', value: 1 }];
    const without = await server.patch('/Group/g', change);
    expect([without.status, issuesOf(without)]).toEqual([400, ['required http."If-Match"']]);
    expect(stateOf(await server.patch('/Group/g', change, { 'If-Match': 'W/"1"' }))).toEqual([200, 'W/"2"']);
  });

  it('fifty at once are all applied, one after the other', async () => {
    await made('race', noted('first'));
    const answers = await many(at => server.patch('/Communication/race', noteAdded(`${at}`)));
    expect(counted(answers)).toEqual({ 200: 50 });
    const last = await server.get('/Communication/race');
    const notes = notesOf(last);
    expect([notes[0], new Set(notes).size, notes.length]).toEqual(['first', 51, 51]);
    expect(last.headers.etag).toBe('W/"51"');
  }, 60_000);

  it('fifty of one version are one', async () => {
    await made('one', noted('first'));
    const answers = await many(at => server.patch('/Communication/one', noteAdded(`${at}`), { 'If-Match': 'W/"1"' }));
    expect(counted(answers)).toEqual({ 200: 1, 412: 49 });
    expect(notesOf(await server.get('/Communication/one'))).toHaveLength(2);
  });

  it('fifty with a test of what they change are one', async () => {
    await made('tested', noted('first'));
    const answers = await many(at =>
      server.patch('/Communication/tested', [
        { op: 'test', path: '/note/0/text', value: 'first' },
        { op: 'replace', path: '/note/0/text', value: `${at}` },
      ]),
    );
    expect(counted(answers)).toEqual({ 200: 1, 422: 49 });
  });
});

// https://hl7.org/fhir/R4/http.html#patch
describe('a conditional patch', () => {
  const identified = (value: string, fields = {}) => ({ identifier: [{ system: 'urn:i', value }], ...fields });

  it('changes the one record that matches', async () => {
    await made('c1', identified('one'));
    const answer = await server.patch('/Communication?identifier=urn:i|one', replaced('/status', 'stopped'));
    expect([...stateOf(answer), answer.json.id, answer.json.status]).toEqual([200, 'W/"2"', 'c1', 'stopped']);
    expect(answer.headers.location).toBe(`${server.base}/Communication/c1/_history/2`);
  });

  it('creates none, and changes none of several', async () => {
    const change = replaced('/status', 'stopped');
    expect((await server.patch('/Communication?identifier=urn:i|none', change)).status).toBe(404);
    await made('c2', identified('two'));
    await made('c3', identified('two'));
    const several = await server.patch('/Communication?identifier=urn:i|two', change);
    expect([several.status, issuesOf(several)]).toEqual([412, ['multiple-matches']]);
    expect((await server.get('/Communication/c2')).headers.etag).toBe('W/"1"');
  });

  it('needs criteria, rights to search, and the declaration', async () => {
    expect((await server.patch('/Communication', [])).status).toBe(400);
    expect((await server.patch('/Communication?x=1', [])).status).toBe(400);
    const unsearched = server.authorized('system/Communication.ru');
    expect((await server.patch('/Communication?identifier=urn:i|one', [], unsearched)).status).toBe(403);
    expect((await server.patch('/Group?code=1', [])).status).toBe(405);
  });

  it('fifty at once that end the match of their criteria are one', async () => {
    await made('c4', identified('four', { status: 'in-progress' }));
    const path = '/Communication?identifier=urn:i|four&status=in-progress';
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => server.patch(path, replaced('/status', 'completed'))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(49);
    expect(await versionsOf('/Communication/c4')).toBe(2);
  });
});

// https://hl7.org/fhir/R4/datatypes.html#attachment
describe('attachments', () => {
  it('stay, unless the patch adds content', async () => {
    const created = await post(
      server,
      'Media',
      media({}, { size: undefined }),
      server.authorized('user/Media.c', { fhirUser: 'Practitioner/x' }),
    );
    const path = `/Media/${created.json.id}`;
    const bytes = async () => (await keptBytes(server, 'Media')).get(created.json.id);
    expect(stateOf(await server.patch(path, replaced('/content/title', 'New title')))).toEqual([200, 'W/"2"']);
    expect(await bytes()).toEqual([png()]);
    const shown = await server.patch(path, [{ op: 'test', path: '/content/data', value: png().toString('base64') }]);
    expect([shown.status, issuesOf(shown)]).toEqual([422, ['not-found $this[0].path']]);
    const retyped = await server.patch(path, replaced('/content/contentType', 'image/jpeg'));
    expect([retyped.status, issuesOf(retyped)]).toEqual([422, ['business-rule Media.content.contentType']]);
    const other = png(200).toString('base64');
    const added = await server.patch(path, [{ op: 'add', path: '/content/data', value: other }]);
    expect([...stateOf(added), added.json.content.data]).toEqual([200, 'W/"3"', undefined]);
    expect(await bytes()).toEqual([png(200)]);
    const byPath = pathPatch(
      'add',
      'Media.content',
      { name: 'name', valueString: 'data' },
      { name: 'value', valueBase64Binary: png(300).toString('base64') },
    );
    expect(stateOf(await server.patch(path, byPath))).toEqual([200, 'W/"4"']);
    expect(await bytes()).toEqual([png(300)]);
  });
});

// https://hl7.org/fhir/R4/http.html#patch
describe('a patch in a batch', () => {
  const batch = async (...entry: object[]) => {
    const headers = { ...server.authorized(everything), 'Content-Type': 'application/fhir+json' };
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
    const { json } = await server.ask('POST', '', { headers, body });
    return (json.entry as { response: { status: string; etag?: string; outcome?: { issue: object[] } } }[]).map(
      ({ response }) => response,
    );
  };
  const request = (more = {}) => ({ request: { method: 'PATCH', url: 'Communication/batched', ...more } });
  const binary = (patch: object | string, contentType = 'application/json-patch+json') => ({
    resource: {
      resourceType: 'Binary',
      contentType,
      data: Buffer.from(typeof patch === 'string' ? patch : JSON.stringify(patch)).toString('base64'),
    },
  });

  it('is Parameters, or a Binary with any format', async () => {
    await made('batched', noted('one'));
    const path = pathPatch('replace', 'Communication.note[0].text', { name: 'value', valueString: 'two' });
    const answers = await batch(
      { resource: path, ...request() },
      { ...binary(replaced('/note/0/text', 'three')), ...request() },
      { ...binary(path, 'application/fhir+json'), ...request({ ifMatch: 'W/"3"' }) },
      { ...binary(replaced('/note/0/text', 'four')), ...request({ ifMatch: 'W/"1"' }) },
      { request: { method: 'GET', url: 'Communication/batched' } },
    );
    expect(answers.map(({ status, etag }) => `${status} ${etag}`)).toEqual([
      '200 W/"2"',
      '200 W/"3"',
      '200 W/"4"',
      '412 undefined',
      '200 W/"4"',
    ]);
  });

  it.each<[string, object, string, string | undefined]>([
    ['nothing', {}, '400', 'Bundle.entry[0].resource'],
    ['another format', binary('[]', 'text/plain'), '415', 'Bundle.entry[0].resource.contentType'],
    ['no data', { resource: { ...binary('[]').resource, data: undefined } }, '400', 'Bundle.entry[0].resource'],
    ['no base64', { resource: { ...binary('[]').resource, data: 'x' } }, '400', 'Bundle.entry[0].resource.data'],
    ['another resource', { resource: { resourceType: 'Basic' } }, '400', 'Bundle.entry[0].resource.resourceType'],
  ])('is refused with %s', async (_, content, status, expression) => {
    const [answer] = await batch({ ...content, ...request() });
    expect([answer?.status, answer?.outcome?.issue[0]]).toMatchObject([status, { expression: [expression] }]);
  });
});
