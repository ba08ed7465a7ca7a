// The command `conformance`: its reports, its exit codes, and that it needs no store.
// https://hl7.org/fhir/R4/testreport.html
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { faultyProxy } from '../conformance/faulty-proxy.ts';
import type { Proxy } from '../conformance/faulty-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
const folder = mkdtempSync(join(tmpdir(), 'conformance-cli-'));
const fast = ['--types', 'Patient', '--areas', 'read', '--rate', '10000'];
let server: Served;
let proxy: Proxy;

beforeAll(async () => {
  server = await serve([patient('p1'), patient('p2')]);
  proxy = await faultyProxy(server);
});
afterAll(async () => {
  await proxy.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

it('a server without a fault is exit code 0', async () => {
  const { code, stdout } = await run(['conformance', proxy.base, ...fast]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/read\.etag +2 +0 +0/)]);
  expect(stdout).toMatch(/^No failure, .* in \d+ requests and \d+ s\.$/m);
});

it('a failure is exit code 3, with the request, what came, what should have come, and the clause', async () => {
  proxy.plant = {
    answer: (given, { path }) => {
      if (path === 'Patient/p1') given.headers['etag'] = 'W/"<9>"';
    },
  };
  const [json, html, report] = ['r.json', 'r.html', 'r.tr.json'].map(name => join(folder, name));
  const files = ['--json', json ?? '', '--html', html ?? '', '--test-report', report ?? ''];
  const { code, stdout } = await run(['conformance', proxy.base, ...fast, ...files]);
  proxy.plant = {};
  expect(code).toBe(3);
  const curl = `curl -H 'Accept: application/fhir+json' '${proxy.base}/Patient/p1'`;
  const [came, expected] = ['ETag: W/"<9>"', 'ETag: W/"1"'];
  const clause = 'https://hl7.org/fhir/R4/http.html#versioning';
  for (const text of [curl, came, expected, clause]) expect(stdout).toContain(text);
  const read = JSON.parse(readFileSync(json ?? '', 'utf8'));
  expect([read.failed, read.checks.find(({ failed }: { failed: number }) => failed > 0)]).toMatchObject([
    1,
    {
      check: 'read.etag',
      url: clause,
      findings: [{ result: 'fail', subject: 'Patient/p1', came, expected, request: curl }],
    },
  ]);
  const page = readFileSync(html ?? '', 'utf8');
  for (const text of ['W/&quot;&lt;9&gt;&quot;', clause, 'Patient/p1', 'Failures: 1']) expect(page).toContain(text);
  expect(page).not.toContain('<9>');
  expect(statSync(json ?? '').mode & 0o077).toBe(0);
  const validated = await run(['validate', report ?? '']);
  expect([validated.code, validated.stdout]).toEqual([0, expect.stringContaining('TestReport: valid')]);
});

it('a server that cannot be connected to is a failure', async () => {
  const { code, stdout } = await run(['conformance', `http://127.0.0.1:${await freePort()}/fhir`, '--rate', '10000']);
  expect([code, stdout]).toEqual([3, expect.stringContaining('ECONNREFUSED')]);
});

it('the token comes from a file or from a variable, and is not printed', async () => {
  const seen: (string | undefined)[] = [];
  proxy.plant = { request: ({ headers }) => seen.push(headers['authorization']) };
  const file = join(folder, 'token');
  writeFileSync(file, 'from-file\n');
  const first = await run(['conformance', proxy.base, ...fast, '--token-file', file]);
  const second = await run(['conformance', proxy.base, ...fast], { env: { FHIR_TOKEN: 'from-variable' } });
  proxy.plant = {};
  expect(new Set(seen)).toEqual(new Set(['Bearer from-file', 'Bearer from-variable']));
  expect(first.stdout + second.stdout).not.toMatch(/from-(file|variable)/);
  const flag = await run(['conformance', proxy.base, '--token', 'x']);
  expect([flag.code, flag.stderr]).toEqual([2, expect.stringContaining('`--token` is not a flag')]);
});

it.each([
  [[], 'URL is missing'],
  [['ftp://a'], 'must be an absolute http or https URL'],
  [['http://a', '--client', 'x'], '`--client` and `--key` belong together'],
  [['http://a', '--areas', 'serach'], 'Did you mean `search`?'],
])('%j is exit code 2', async (args, sentence) => {
  const { code, stderr } = await run(['conformance', ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});

it('no store is made', async () => {
  const store = join(folder, 'store/records.sqlite');
  await run(['conformance', proxy.base, ...fast], { env: { CRS_STORE: `sqlite:${store}` } });
  expect(existsSync(join(folder, 'store'))).toBe(false);
});
