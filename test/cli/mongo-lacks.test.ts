import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { launch, run } from './process.ts';

it('a server on MongoDB says at its start what the store does not promise', async () => {
  const place = await newMongoPlace();
  onTestFinished(() => place.remove());
  const store = ['--store', place.url];
  await run(['partition', 'add', 'clinic', ...store]);
  const definitions = join(import.meta.dirname, '../fixtures/versioned');
  const server = launch(['serve', '--port', '0', '--access', 'open', '--definitions', definitions, ...store]);
  await server.until(/Serves/);
  server.process.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const output = `${server.stdout()}${server.stderr()}`;
  expect(output).toMatch(/The store does not promise `commit-order`: /);
  expect(output).not.toMatch(/not offered/);
});
