import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { writeExport } from '../../../src/bulk/export/write.ts';
import { loadModel } from '../../../src/engine/definitions/load-model.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import { openStore } from '../../../src/store/open.ts';
import { partition as partitionId } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import { median, medianRatio } from '../statistics.ts';
import type { TerminologyRow } from './terminology.ts';

/**
 * Exports of all records of a store into files, in turns with the floor: rows of SQLite to a file in the same process.
 * Records a second are those of one processor: this process has one thread for both.
 */
export async function measureExport(
  data: Dataset,
  { rounds }: { readonly rounds: number },
  say: (text: string) => void,
): Promise<readonly TerminologyRow[]> {
  const { model } = await loadModel({ definitions: [] });
  if (model === undefined) throw new Error('The shipped definitions do not load.');
  const extract = createExtract(model);
  const options = { model, extract, now: Date.now, mode: 'command', deadline: 20_000 } as const;
  const store = await openStore(`sqlite:${data.file}`, options);
  const folder = mkdtempSync(join(tmpdir(), 'crs-bench-export-'));
  const all: { readonly rate: number; readonly time: number; readonly floor: number; readonly delay: number }[] = [];
  let [count, most] = [0, 0];
  try {
    const partition = await store.partition(partitionId);
    if (partition === undefined) throw new Error('The store has no partition.');
    for (let round = 0; round < rounds; round++) {
      say(`Exporting: round ${round + 1} of ${rounds} …`);
      const delays = monitorEventLoopDelay({ resolution: 1 });
      const out = join(folder, String(round));
      const watching = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
      delays.enable();
      const [time, result] = await timed(() =>
        writeExport(
          { model, extract },
          partition,
          out,
          { types: undefined, since: undefined, group: undefined, base: 'http://localhost/r4/demo' },
          AbortSignal.timeout(600_000),
          () => {},
        ),
      );
      delays.disable();
      clearInterval(watching);
      rmSync(out, { recursive: true });
      const [floor] = await timed(() => rowsToFile(data.file, join(folder, 'floor')));
      count = result.records;
      all.push({ rate: (count / time) * 1_000, time, floor, delay: delays.percentile(99) / 1e6 });
    }
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (name: 'rate' | 'time' | 'floor' | 'delay'): readonly number[] => all.map(one => one[name]);
  return [
    {
      name: `export of ${count.toLocaleString('en')} records`,
      measured: median(of('rate')),
      budget: 40_000,
      unit: 'records/s',
    },
    {
      name: 'time, as a multiple of the floor',
      measured: medianRatio(of('time'), of('floor')),
      budget: 1.5,
      unit: 'times',
    },
    { name: 'event loop held, 99 of 100', measured: median(of('delay')), budget: 20, unit: 'ms' },
    { name: 'memory of the process', measured: most / 2 ** 20, budget: 1_024, unit: 'MiB' },
  ];
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [milliseconds: number, result: T]> {
  const begin = performance.now();
  const result = await work();
  return [performance.now() - begin, result];
}

/** The texts of all current records, by id, as an export needs them. */
async function rowsToFile(file: string, path: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true });
  const out = await open(path, 'w');
  const types = database.prepare('SELECT t FROM types').all() as { t: number }[];
  let lines: string[] = [];
  let characters = 0;
  for (const { t } of types)
    for (const row of database
      .prepare('SELECT text FROM resources WHERE t = ? AND ord IS NOT NULL ORDER BY id')
      .iterate(t)) {
      const { text } = row as { text: string };
      lines.push(text, '\n');
      characters += text.length;
      if (characters < 256 * 1024) continue;
      await out.write(lines.join(''));
      [lines, characters] = [[], 0];
    }
  await out.write(lines.join(''));
  await out.sync();
  await out.close();
  database.close();
}
