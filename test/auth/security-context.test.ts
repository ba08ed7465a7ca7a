// https://hl7.org/fhir/R4/binary-definitions.html#Binary.securityContext
import { afterAll, beforeAll, expect, it } from 'vitest';
import { patient } from '../support/resources.ts';
import { r4Of } from '../support/r4-of.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const tokens = testTokens();
const app = (id: string) =>
  tokens.bearer({ patient: id, scope: 'patient/Binary.cruds patient/Patient.rs patient/DocumentReference.rs' });
const [ann, bob] = [app('ann'), app('bob')];
const system = tokens.bearer({ scope: 'system/*.cruds' });

let server: Served;
beforeAll(async () => {
  const flags = ['--capability', r4Of(['Binary', 'Patient', 'DocumentReference'])];
  server = await serve([patient('ann'), patient('bob')], flags, undefined, { verify: tokens.verify });
}, 120_000);
afterAll(() => server.close());

const send = (method: string, path: string, headers: Record<string, string>, context?: string): Promise<Answer> =>
  server.ask(method, path, {
    headers: { 'Content-Type': 'text/plain', ...headers, ...(context && { 'X-Security-Context': context }) },
    body: `of ${context}`,
  });
const idOf = ({ headers }: Answer): string => /Binary\/([^/]+)\//.exec(headers.location ?? '')?.[1] ?? '';

it('the content of a Binary is open to an app of the patient that its context names, and to no other', async () => {
  const own = await send('POST', '/Binary', ann, 'Patient/ann');
  const absolute = await send('POST', '/Binary', ann, `${server.base}/Patient/ann`);
  expect([own.status, absolute.status]).toEqual([201, 201]);
  const free = await send('POST', '/Binary', system);
  for (const one of [own, absolute]) {
    const path = `/Binary/${idOf(one)}`;
    expect((await server.get(path, ann)).text).toMatch(/^of .*Patient\/ann$/);
    expect((await server.get(path, system)).status).toBe(200);
    for (const below of ['', '/_history/1', '/_history'])
      expect([below, (await server.get(`${path}${below}`, bob)).status]).toEqual([below, 404]);
  }
  for (const headers of [ann, bob]) expect((await server.get(`/Binary/${idOf(free)}`, headers)).status).toBe(404);
  const found = async (headers: Record<string, string>): Promise<number> =>
    (await server.get('/Binary?_summary=count', headers)).json.total;
  expect([await found(ann), await found(bob), await found(system)]).toEqual([2, 0, 3]);
});

it('content in the context of another record is read by who reads that, and listed to no app', async () => {
  const document = (id: string, of: string): string =>
    JSON.stringify({
      resourceType: 'DocumentReference',
      id,
      status: 'current',
      subject: { reference: `Patient/${of}` },
      content: [{ attachment: { contentType: 'text/plain' } }],
    });
  const headers = { ...system, 'Content-Type': 'application/fhir+json' };
  const put = (of: string) => server.ask('PUT', '/DocumentReference/d', { headers, body: document('d', of) });
  expect((await put('ann')).status).toBe(201);
  const path = `/Binary/${idOf(await send('POST', '/Binary', system, 'DocumentReference/d'))}`;
  const statuses = async (one: Record<string, string>): Promise<readonly number[]> =>
    Promise.all([path, `${path}/_history/1`].map(async at => (await server.get(at, one)).status));
  expect([await statuses(ann), await statuses(bob)]).toEqual([
    [200, 200],
    [404, 404],
  ]);
  const withoutDocuments = tokens.bearer({ patient: 'ann', scope: 'patient/Binary.rs' });
  const withoutContent = tokens.bearer({ patient: 'ann', scope: 'patient/DocumentReference.rs' });
  expect([await statuses(withoutDocuments), await statuses(withoutContent)]).toEqual([
    [404, 404],
    [403, 403],
  ]);
  expect((await server.get(path.replace('Binary/', 'Binary?_id='), ann)).json.entry ?? []).toEqual([]);
  expect((await put('bob')).status).toBe(200); // the context decides as it is now
  expect([await statuses(ann), await statuses(bob)]).toEqual([
    [404, 404],
    [200, 200],
  ]);
  expect((await send('POST', '/Binary', ann, 'DocumentReference/d')).status).toBe(403);
});

it('an app of a patient writes no content into another context, or into none', async () => {
  for (const context of ['Patient/bob', undefined, 'https://other.example/fhir/Patient/ann'])
    expect([context, [403, 422].includes((await send('POST', '/Binary', ann, context)).status)]).toEqual([
      context,
      true,
    ]);
  const own = await send('POST', '/Binary', ann, 'Patient/ann');
  const path = `/Binary/${idOf(own)}`;
  expect((await send('PUT', path, bob, 'Patient/bob')).status).not.toBe(200);
  expect((await send('PUT', path, ann, 'Patient/bob')).status).not.toBe(200);
  expect((await send('PUT', path, ann)).status).not.toBe(200);
  expect((await server.get(path, ann)).text).toBe('of Patient/ann');
  expect((await send('PUT', path, system, 'Patient/bob')).status).toBe(200);
  expect([(await server.get(path, ann)).status, (await server.get(path, bob)).status]).toEqual([404, 200]);
});
