// npm run test:mongo -- [what vitest takes]: runs the MongoDB suites on the server that CRS_TEST_MONGODB names; or else
// on a `mongod` of version 7 or later, if one is installed, or on MongoDB's engine, which it starts and ends. Fails
// where the engine does not run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startMongo } from './engine.ts';
import { startMongod } from './mongod.ts';

const named = process.env['CRS_TEST_MONGODB'];
const started = named === undefined || named === '' ? ((await startMongod()) ?? (await startMongo())) : undefined;
try {
  const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
  const args = [vitest, 'run', '--project', 'mongodb*', ...process.argv.slice(2)];
  const env = { ...process.env, CRS_TEST_MONGODB: started?.url ?? named };
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await started?.remove();
}
