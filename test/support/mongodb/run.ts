// npm run test:mongo -- [what vitest takes]: runs the MongoDB suites on the server that CRS_TEST_MONGODB names, or else
// on MongoDB's engine, which it starts and ends. Fails where the engine does not run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startMongo } from './engine.ts';

const named = process.env['CRS_TEST_MONGODB'];
const engine = named === undefined || named === '' ? await startMongo() : undefined;
try {
  const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
  const args = [vitest, 'run', '--project', 'mongodb*', ...process.argv.slice(2)];
  const env = { ...process.env, CRS_TEST_MONGODB: engine?.url ?? named };
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await engine?.remove();
}
