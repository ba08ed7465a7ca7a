// Loads the files given behind the folder of a store, says how far it is and continues when it gets a line, until it is
// done or killed.
import { once } from 'node:events';
import { openTarget } from './target.ts';
import { load } from '../../../src/bulk/load.ts';
import { createExtract } from '../../../src/indexing/extract.ts';

const [folder = '', ...paths] = process.argv.slice(2);
const { model, definitions, partition, store, validator } = await openTarget(folder);
const options = {
  model,
  definitions,
  partition,
  validator,
  extract: createExtract(model),
  base: 'http://localhost:8080/r4/demo',
  undeclared: 'skip' as const,
  now: Date.now,
  rejects: `${folder}/rejects.ndjson`,
  stdin: process.stdin,
};
for await (const { created } of load(paths, options)) {
  const signal = once(process.stdin, 'data');
  process.stdout.write(`${created}\n`);
  await signal;
}
process.stdin.destroy();
await store.close();
