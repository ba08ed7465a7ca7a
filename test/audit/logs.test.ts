import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../src/observability/log.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { clinician, testTokens } from '../support/tokens.ts';

const tokens = testTokens();
const all = { ...tokens.bearer({ scope: 'user/*.cruds', client: 'chart', ...clinician }) };
const own = tokens.bearer({ scope: 'patient/*.rs', client: 'phone', patient: 'patient-4711', subject: 'ann' });
const json = { 'Content-Type': 'application/fhir+json' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** What no log may hold: tokens, names, identifiers, ids of patients and records, whatever was searched for. */
const secrets = [
  'test.0',
  'test.1',
  'crs_',
  'Tremblay',
  'tremblay',
  '9876543210',
  'patient-4711',
  'condition-1',
  'R0lGODlh',
  's3cret',
  '514-555',
];

let server: Served;
let text = '';
beforeAll(async () => {
  const log = createLog('info', { write: line => (text += line) });
  const records = [
    {
      resourceType: 'Patient',
      id: 'patient-4711',
      name: [{ family: 'Tremblay' }],
      identifier: [{ system: 'urn:card', value: '9876543210' }],
      telecom: [{ system: 'phone', value: '514-555-0199' }],
    },
    { resourceType: 'Condition', id: 'condition-1', subject: { reference: 'Patient/patient-4711' } },
  ];
  server = await serve(records, [], log, { verify: tokens.verify, isOneProcess: true });
});
afterAll(() => server.close());

const media = JSON.stringify({
  resourceType: 'Media',
  status: 'completed',
  subject: { reference: 'Patient/patient-4711' },
  identifier: [{ value: '9876543210' }],
  content: { contentType: 'image/gif', data: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' },
});

it('no log holds a token, a name, an identifier or an id of a patient', async () => {
  const asked: readonly (readonly [string, string, Record<string, string>, string?])[] = [
    ['GET', '/Patient/patient-4711', all],
    ['HEAD', '/Patient/patient-4711', all],
    ['GET', '/Patient/patient-4711', { ...all, 'If-None-Match': 'W/"1"' }],
    ['GET', '/Patient/patient-4711', own],
    ['GET', '/Condition/condition-1', own],
    ['GET', '/Condition?patient=patient-4711&_count=1', own],
    ['GET', '/Patient?family=tremblay&identifier=urn:card|9876543210&_summary=count', all],
    ['GET', '/Patient?phone=514-555-0199', all],
    ['GET', '/Patient?family:wrong=tremblay', all],
    ['GET', '/Patient?nmae=Tremblay', all],
    ['POST', '/Patient/_search', { ...all, ...form }, 'family=tremblay&identifier=9876543210'],
    ['POST', '/Patient/_search', { ...all, ...json }, '{"name":"Tremblay"}'],
    ['POST', '/Media', { ...all, ...json, 'Idempotency-Key': '9876543210' }, media],
    ['POST', '/Media', { ...all, ...json, 'Idempotency-Key': '9876543210' }, media.replace('completed', 'not-done')],
    ['POST', '/Media', { ...all, ...json }, media.replace('patient-4711', 'patient-4711-x')],
    ['POST', '/Media', { ...all, ...json }, media.slice(0, -10)],
    ['POST', '/Media', { ...all, ...json }, media.replace('status', 'stattus')],
    ['POST', '/Media', { ...all, ...json, 'If-None-Exist': 'identifier=9876543210' }, media],
    ['POST', '/Media', { ...all, ...json, 'Content-Length': '99999999' }],
    ['POST', '/Media', { ...own, ...json }, media],
    ['PUT', '/Patient/patient-4711', { ...all, ...json }, '{}'],
    ['DELETE', '/Patient/patient-4711', all],
    ['GET', '/Patient/patient-4711/_history', all],
    ['GET', '/Patient/patient-4711/_history/1', all],
    ['GET', '/Patient/patient-4711/$everything', all],
    ['GET', '/Patient/patient-4711', {}],
    ['GET', '/Patient/patient-4711', { Authorization: 'Bearer crs_s3cret' }],
    ['GET', '/Patient/patient-4711', { Authorization: 'Basic s3cret' }],
    ['GET', '/Patient/patient-4711?access_token=s3cret', {}],
    ['GET', '/Patient?access_token=s3cret&family=tremblay', all],
    ['GET', '/Tremblay/patient-4711', all],
    ['GET', '//r4/patient-4711/Patient/patient-4711', all],
    ['GET', '//patient-4711/Tremblay', all],
    ['GET', '/Patient/%zztremblay', all],
    ['GET', `/Patient?family=${'tremblay'.repeat(3000)}`, all],
    ['GET', '/Patient/patient-4711', { ...all, 'X-Request-Id': 'crs_s3cret tremblay' }],
    ['GET', '/Patient?_page_token=patient-4711', all],
    ['GET', '/metadata', {}],
    ['GET', '//readyz', {}],
  ];
  const statuses = new Set<number>();
  for (const [method, path, headers, body] of asked) {
    const options = body === undefined ? { headers } : { headers, body };
    // the refusal may come before all was sent
    const answer = await server.ask(method, path, options).catch(() => undefined);
    if (answer !== undefined) statuses.add(answer.status);
  }
  await server.raw('GET /r4/demo/Patient/patient-4711 HTTP/1.1\r\nbad header tremblay\r\n\r\n');
  await server.raw('GET /r4/demo/Patient/patient-4711 HTTP/9.9\r\nAuthorization: Bearer s3cret\r\n\r\n');
  // A fault is logged with its place in the code, without the request.
  const { store } = server.running.engine;
  const partition = store.partition.bind(store);
  Object.assign(store, { partition: () => Promise.reject(new Error('The test breaks the store')) });
  expect((await server.get('/Patient/patient-4711', all)).status).toBe(500);
  Object.assign(store, { partition });
  await new Promise(done => setTimeout(done, 1_000));

  expect([...statuses].sort((a, b) => a - b)).toEqual(
    expect.arrayContaining([200, 201, 304, 400, 401, 403, 404, 405, 414, 415, 422]),
  );
  expect(text.split('\n').length).toBeGreaterThan(asked.length);
  expect(text).toContain('The test breaks the store');
  for (const secret of secrets) expect(text).not.toContain(secret);
});
