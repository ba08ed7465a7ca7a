import { load } from '../../src/bulk/load.ts';
import { keepHeapSmall } from '../../src/limits/small-heap.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import { openStore } from '../../src/store/open.ts';
import { createValidator } from '../../src/validation/profile/validator.ts';
import { publicUrl } from './public-url.ts';

// A child process: loads files into a store, as the command `load` does. Arguments: the file of the store, or its URL;
// the partition; where rejects are written, beside the file where it is left out.

export interface LoadResult {
  readonly records: number;
  readonly seconds: number;
  /** Of the loading process. */
  readonly cpuSeconds: number;
  readonly mostResident: number;
}

const [place = '', id = '', rejects = `${place}.rejects`] = process.argv.slice(2);
const url = place.includes('://') ? place : `sqlite:${place}`;
const { model: loaded, definitions } = await loadModel({ definitions: [] });
if (loaded === undefined) throw new Error('The definitions do not load');
keepHeapSmall();
const model = loaded;
const extract = createExtract(model);
const store = await openStore(url, { model, extract, now: Date.now, mode: 'command', deadline: 60_000 });
if ((await store.partition(id)) === undefined) await store.partitions.add(id, { zone: 'America/Toronto' });
const partition = await store.partition(id);
if (partition === undefined) throw new Error('The partition is not there');

process.on('message', (paths: readonly string[]) => void run(paths).then(result => process.send?.(result)));
process.on('disconnect', () => void store.close().then(() => process.exit()));
process.send?.('ready');

async function run(paths: readonly string[]): Promise<LoadResult> {
  if (partition === undefined) throw new Error('Nothing is open');
  const options = {
    model,
    definitions,
    partition,
    extract,
    validator: createValidator(definitions, model.definitions),
    base: `${publicUrl}/r4/${id}`,
    undeclared: 'reject',
    now: Date.now,
  } as const;
  const before = process.cpuUsage();
  const started = performance.now();
  for await (const progress of load(paths, { ...options, rejects, stdin: process.stdin })) {
    if (!progress.done) continue;
    if (progress.rejected > 0 || progress.created !== progress.records)
      throw new Error(`Of ${progress.records} records ${progress.created} were created`);
    const { user, system } = process.cpuUsage(before);
    return {
      records: progress.records,
      seconds: (performance.now() - started) / 1000,
      cpuSeconds: (user + system) / 1e6,
      mostResident: process.resourceUsage().maxRSS * 1024,
    };
  }
  throw new Error('The load ended without an end');
}
