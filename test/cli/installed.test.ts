// https://nodejs.org/api/typescript.html#type-stripping-in-dependencies
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { otherServer } from '../conformance/other-server.ts';
import { environment, launchedFrom, root } from './process.ts';

const folder = mkdtempSync(join(tmpdir(), 'crs-installed-'));
const own = join(folder, 'node_modules', 'clinical-records-service');

beforeAll(() => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: readonly string[] };
  mkdirSync(own, { recursive: true });
  for (const name of ['package.json', ...files]) cpSync(join(root, name), join(own, name), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter(one => !one.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('an installed package tests a server, without a store, as `npx` runs it', async () => {
  const server = await otherServer();
  try {
    const program = join(own, 'src', 'start.js');
    const args = ['conformance', server.base, '--types', 'Patient', '--areas', 'read,search', '--rate', '10000'];
    const child = launchedFrom(spawn(process.execPath, [program, ...args], { cwd: folder, env: environment() }));
    const code = await child.ended;
    expect([code, child.stderr()]).toEqual([0, expect.not.stringMatching(/Error|Warning/)]);
    expect(child.stdout()).toMatch(/^No failure, /m);
    expect(readdirSync(folder)).toEqual(['node_modules']);
  } finally {
    await server.close();
  }
}, 60_000);
