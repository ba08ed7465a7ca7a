import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../child.ts';
import type { LoadResult } from '../loader.ts';
import { ndjson, partition, sizeOf, temporary } from '../data/dataset.ts';
import type { Dataset } from '../data/dataset.ts';
import { median } from '../statistics.ts';
import { measure, startClient, startSubject } from './subjects.ts';
import type { Measured } from './subjects.ts';

export interface LoadingResults {
  /** Records a second of one load into an empty store, medians of the runs. */
  readonly rate: number;
  /** Microseconds of processor time a record. */
  readonly cpu: number;
  /** Bytes that the loading process held at most. */
  readonly resident: number;
  /** Bytes of the file for each record. */
  readonly bytesPerRecord: number;
}

/** Loads records of the generator into empty stores, all parameters indexed, as the command `load` does. */
export async function measureLoad(
  { records, runs }: { readonly records: number; readonly runs: number },
  say: (text: string) => void,
): Promise<LoadingResults> {
  const scratch = temporary('load');
  try {
    const source = await ndjson(records, 3, join(scratch.folder, 'records.ndjson'));
    const results: { load: LoadResult; bytes: number }[] = [];
    for (let run = 0; run < runs; run++) {
      say(`Loading ${source.count.toLocaleString('en-US')} records, ${run + 1} of ${runs} …`);
      const file = join(scratch.folder, `${run}.sqlite`);
      const child = await startChild('./loader.ts', { arguments: [file, partition] });
      const load = await child.ask<LoadResult>([source.file]);
      await child.stop();
      results.push({ load, bytes: sizeOf(file) });
    }
    return {
      rate: median(results.map(({ load }) => load.records / load.seconds)),
      cpu: median(results.map(({ load }) => (load.cpuSeconds * 1e6) / load.records)),
      resident: Math.max(...results.map(({ load }) => load.mostResident)),
      bytesPerRecord: median(results.map(({ load, bytes }) => bytes / load.records)),
    };
  } finally {
    scratch.remove();
  }
}

export interface WhileLoadingResults {
  /** Milliseconds, with the same requests a second before and during the load. */
  readonly p99Before: number;
  readonly p99: number;
  readonly p50: number;
  readonly most: number;
  /** Reads a second that were asked for, and that were answered while the load ran. */
  readonly asked: number;
  readonly answered: number;
  /** Records a second that were loaded meanwhile. */
  readonly loaded: number;
}

const readsPerSecond = 500;

/** Reads by id from a server, at a rate that a clinic may have, while `load` fills the same file. */
export async function measureWhileLoading(
  data: Dataset,
  { records }: { readonly records: number },
  say: (text: string) => void,
): Promise<WhileLoadingResults> {
  say('Reading while a load runs …');
  const scratch = temporary('while-loading');
  const file = join(scratch.folder, 'records.sqlite');
  copyFileSync(data.file, file);
  const source = await ndjson(records, 2, join(scratch.folder, 'records.ndjson'));
  const client = await startClient({ bound: false });
  const service = await startSubject('service', file, { bound: false });
  const loader = await startChild('./loader.ts', { arguments: [file, partition] });
  try {
    const requests = data.samples.records.map(([type, id]) => ({ path: `/r4/${partition}/${type}/${id}` }));
    const read = (duration: number): Promise<Measured> =>
      measure(client, service, { requests, connections: 16, duration, status: 200, rate: readsPerSecond });
    await read(1_000);
    const before = await read(2_000);
    const state = { load: undefined as LoadResult | undefined };
    const loading = loader.ask<LoadResult>([source.file]).then(load => (state.load = load));
    const during: Measured[] = [];
    while (state.load === undefined) {
      const result = await read(1_000);
      // a second that was loading only in part says little
      if (state.load === undefined || during.length === 0) during.push(result);
    }
    const load = await loading;
    return {
      p99Before: before.p99,
      // Of each second: one second in which something else had the machine does not decide.
      p99: median(during.map(run => run.p99)),
      p50: median(during.map(run => run.p50)),
      most: Math.max(...during.map(run => run.most)),
      asked: readsPerSecond,
      answered: median(during.map(({ requests, seconds }) => requests / seconds)),
      loaded: load.records / load.seconds,
    };
  } finally {
    await Promise.all([client, service.child, loader].map(child => child.stop()));
    scratch.remove();
  }
}
