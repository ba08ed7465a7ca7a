// A client that is generated from the description, as an app has it.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const modules = join(root, 'node_modules');

/** The generator needs the compiler of TypeScript 5, which is installed under another name. */
const hook = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context) });
`)}`;

const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './interface.d.ts';

const [, , baseUrl = '', token = ''] = process.argv;
const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: \`Bearer \${token}\` },
  querySerializer: { object: { style: 'form', explode: true } },
});

const read = await client.GET('/Patient/{id}', { params: { path: { id: 'p1' } } });
const gender: 'male' | 'female' | 'other' | 'unknown' | undefined = read.data?.gender;
const family: string | undefined = read.data?.name?.[0]?.family;

const found = await client.GET('/Patient', {
  params: { query: { family: ['roy', 'r'], gender: ['female'], _count: 1, withModifiers: { 'given:exact': 'Ann' } } },
});
const ids = (found.data?.resourceType === 'Bundle' ? (found.data.entry ?? []) : []).flatMap(({ resource }) => {
  if (resource?.resourceType !== 'Patient') return [];
  const one: components['schemas']['Patient'] = resource;
  return [one.id];
});

const form = await client.POST('/Patient/_search', {
  body: { gender: ['male'] },
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  bodySerializer: body => new URLSearchParams(Object.entries(body ?? {}).map(([name, value]) => [name, String(value)])),
});

const missing = await client.GET('/Patient/{id}', { params: { path: { id: 'p9' } } });
const issue: string | undefined = missing.error?.issue[0]?.diagnostics;

// @ts-expect-error: the path does not exist
await client.GET('/Patients');
// @ts-expect-error: the id is missing
await client.GET('/Patient/{id}', {}).catch(() => undefined);
// @ts-expect-error: the type has no such parameter
const unknown = await client.GET('/Patient', { params: { query: { nmae: ['roy'] } } });
// @ts-expect-error: the type is not created
await client.POST('/Patient', { body: {} });
// @ts-expect-error: not a code of the value set
const wrong: typeof gender = 'm';

console.log(JSON.stringify({
  gender, family, ids, found: found.response.status,
  forms: form.data?.resourceType === 'Bundle' ? form.data.entry?.length : 0,
  missing: missing.response.status, issue, unknown: unknown.response.status,
}));
`;

const tokens = testTokens();
let server: Served;
let folder: string;
beforeAll(async () => {
  const records = [
    patient('p1', { gender: 'female', name: [{ family: 'Roy', given: ['Ann'] }] }),
    patient('p2', { gender: 'female', name: [{ family: 'Roy', given: ['Anna'] }] }),
    patient('p3', { gender: 'male', name: [{ family: 'Royer' }] }),
  ];
  server = await serve(records, [], undefined, { verify: tokens.verify });
  folder = mkdtempSync(join(tmpdir(), 'openapi-client-'));
  symlinkSync(modules, join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'client.ts'), program);
  const page = readFileSync(join(root, 'src/openapi/README.md'), 'utf8');
  const [, example = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  writeFileSync(join(folder, 'readme.ts'), `const token: string = '';\n${example}`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    skipLibCheck: false,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts', 'readme.ts'] }));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

describe('a generated client', () => {
  it('is made from the description that the server serves', async () => {
    const generator = join(modules, 'openapi-typescript/bin/cli.js');
    const target = join(folder, 'interface.d.ts');
    const source = join(folder, 'openapi.json');
    writeFileSync(source, (await server.get('/openapi.json')).text);
    await run(process.execPath, ['--import', hook, generator, source, '--output', target], { cwd: root });
    expect(readFileSync(target, 'utf8')).toContain('"/Patient/{id}": {');
  }, 120_000);

  it('has the types of the interface, also for the example of the README', async () => {
    const compiler = join(modules, 'typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '--project', folder]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe('');
  }, 120_000);

  it('reads and searches', async () => {
    const token = tokens.token({ scope: 'system/Patient.rs' });
    const { stdout } = await run(process.execPath, [join(folder, 'client.ts'), server.base, token]);
    expect(JSON.parse(stdout)).toEqual({
      gender: 'female',
      family: 'Roy',
      ids: ['p1'],
      found: 200,
      forms: 1,
      missing: 404,
      issue: expect.stringContaining('p9'),
      unknown: 400,
    });
  }, 120_000);
});
