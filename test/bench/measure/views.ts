import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadModel } from '../../../src/engine/definitions/load-model.ts';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import { openStore } from '../../../src/store/open.ts';
import { compileView } from '../../../src/views/compile.ts';
import { createRowWriter } from '../../../src/views/formats.ts';
import type { RowFormat } from '../../../src/views/formats.ts';
import { viewRows } from '../../../src/views/view-rows.ts';
import { partition as partitionId } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import { median } from '../statistics.ts';
import type { TerminologyRow } from './terminology.ts';

/** Six columns of an Observation. */
const definition: JsonObject = {
  resourceType: 'ViewDefinition',
  name: 'observations',
  resource: 'Observation',
  select: [
    {
      column: [
        { name: 'key', path: 'getResourceKey()' },
        { name: 'patient', path: 'subject.getReferenceKey(Patient)' },
        { name: 'effective', path: 'effective.ofType(dateTime)' },
        { name: 'code', path: "code.coding.where(system = 'http://loinc.org').first().code" },
        { name: 'value', path: 'value.ofType(Quantity).value' },
        { name: 'unit', path: 'value.ofType(Quantity).unit' },
      ],
    },
  ],
};

const formats: readonly RowFormat[] = ['ndjson', 'csv', 'parquet'];

/**
 * A view over all Observations of a store, written to a file in each format. Times are those of this process for
 * 100,000 records; memory is what it has more at most than before the runs.
 */
export async function measureViews(
  data: Dataset,
  { rounds }: { readonly rounds: number },
  say: (text: string) => void,
): Promise<readonly TerminologyRow[]> {
  const { model } = await loadModel({ definitions: [] });
  const view = model && compileView(definition, model.definitions).view;
  if (model === undefined || view === undefined) throw new Error('The shipped definitions do not load.');
  const options = { model, extract: createExtract(model), now: Date.now, mode: 'command', deadline: 20_000 } as const;
  const store = await openStore(`sqlite:${data.file}`, options);
  const folder = mkdtempSync(join(tmpdir(), 'crs-bench-views-'));
  const times = new Map<RowFormat, number[]>(formats.map(format => [format, []]));
  const before = process.memoryUsage.rss();
  let [records, most] = [0, 0];
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 20);
  try {
    const partition = await store.partition(partitionId);
    if (partition === undefined) throw new Error('The store has no partition.');
    records = await partition.count(view.resourceType);
    for (let round = 0; round <= rounds; round += 1) {
      say(`Running the view: round ${round} of ${rounds} …`);
      for (const format of formats) {
        const began = performance.now();
        const file = createWriteStream(join(folder, `${round}.${format}`));
        const writer = await createRowWriter(format, view, { header: true });
        file.write(writer.begin());
        for await (const rows of viewRows(partition, view, { kind: 'all' }))
          if (!file.write(writer.rows(rows))) await once(file, 'drain');
        file.end(writer.end());
        await once(file, 'finish');
        // The first round compiles.
        if (round > 0) times.get(format)?.push(((performance.now() - began) / records) * 100_000);
      }
    }
  } finally {
    clearInterval(watching);
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
  say(`${records.toLocaleString('en')} Observations`);
  return [
    ...formats.map(format => ({
      name: `six columns of 100,000 Observations as ${format}`,
      measured: median(times.get(format) ?? []),
      budget: 1_500,
      unit: 'ms' as const,
    })),
    { name: 'memory that the runs add', measured: most / 2 ** 20, budget: 256, unit: 'MiB' },
  ];
}
