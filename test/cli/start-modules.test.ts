import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

const script = `
  await import(${source('cli/serve.ts')});
  await import(${source('engine/engine.ts')});
  console.log(process.moduleLoadList.join('\\n'));
`;

it('a start does not load fetch of Node, which takes 60 ms and 8 MB', async () => {
  const arguments_ = ['--input-type=module', '--eval', script];
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, { cwd: root });
  const loaded = stdout.split('\n');
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici');
});
