import { createHash } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '../../../src/demo/generate.ts';
import { startChild } from '../child.ts';
import type { LoadResult } from '../loader.ts';
import { chooseSamples } from './samples.ts';
import type { Samples } from './samples.ts';

/** A store filled from the generator, with what to ask it for. */
export interface Dataset {
  /** Path of the SQLite file. */
  readonly file: string;
  readonly resources: number;
  readonly samples: Samples;
  /** How the load went that filled it. */
  readonly load: LoadResult;
}

export const partition = 'demo';
const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(root, '.cache', 'bench');
const seed = 1;
/** Resources that the generator makes of one patient, on average. */
const perPatient = 54.6;

/** What decides what is in the file: generator, definitions, indexing, and how the store keeps it. */
const decisive = [
  'src/demo',
  'src/indexing',
  'src/model',
  'src/store/sqlite/migrations.ts',
  'src/store/sqlite/rows.ts',
  'src/store/sqlite/schema.ts',
  'src/store/keys/terms.ts',
  'src/store/sqlite/declared-indexes.ts',
  'capability',
  'searchparameters',
  'profiles',
];

/**
 * A store of about so many resources. It is built once and used again for as long as generator, definitions, indexing
 * and store stay as they are; older ones of the same size are deleted.
 */
export async function dataset(resources: number, say: (text: string) => void): Promise<Dataset> {
  const name = `${resources}-${digestOf(decisive)}`;
  const folder = join(cache, name);
  const description = join(folder, 'dataset.json');
  if (!existsSync(description)) {
    for (const old of existsSync(cache) ? readdirSync(cache) : [])
      if (old.startsWith(`${resources}-`)) rmSync(join(cache, old), { recursive: true });
    mkdirSync(folder, { recursive: true });
    const records = await ndjson(resources, seed, join(folder, 'records.ndjson'), say);
    say(`Loading ${records.count.toLocaleString('en-US')} resources …`);
    const load = await loadInto(join(folder, 'records.sqlite'), records.file);
    rmSync(records.file);
    const samples = samplesOf(resources, seed);
    const described: Omit<Dataset, 'file'> = { resources: records.count, samples, load };
    writeFileSync(`${description}.new`, JSON.stringify(described));
    renameSync(`${description}.new`, description);
  }
  // Only this file writes it.
  const described = JSON.parse(readFileSync(description, 'utf8')) as Omit<Dataset, 'file'>;
  return { file: join(folder, 'records.sqlite'), ...described };
}

/** Bytes of a store with what is not in the main file yet. */
export function sizeOf(file: string): number {
  return [file, `${file}-wal`].filter(path => existsSync(path)).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** A folder for what one run needs; `remove` deletes it. */
export function temporary(name: string): { readonly folder: string; remove(): void } {
  const folder = join(cache, `run-${process.pid}-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Writes about so many resources to a file. */
export async function ndjson(
  resources: number,
  seed: number,
  file: string,
  say: (text: string) => void = () => {},
): Promise<{ readonly file: string; readonly count: number }> {
  say(`Generating ${resources.toLocaleString('en-US')} resources …`);
  const stream = createWriteStream(file);
  let count = 0;
  let lines: string[] = [];
  for (const { text } of generate({ patients: patientsOf(resources), seed })) {
    lines.push(text);
    count++;
    if (lines.length < 2_000) continue;
    if (!stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain');
    lines = [];
  }
  stream.end(lines.length === 0 ? '' : `${lines.join('\n')}\n`);
  await once(stream, 'close');
  return { file, count };
}

/** Loads a file into a store, in a process of its own. */
export async function loadInto(store: string, file: string, rejects?: string): Promise<LoadResult> {
  const more = rejects === undefined ? [] : [rejects];
  const child = await startChild('./loader.ts', { arguments: [store, partition, ...more] });
  try {
    return await child.ask<LoadResult>([file]);
  } finally {
    await child.stop();
  }
}

/** What to ask for of about so many generated resources. */
export function samplesOf(resources: number, seed: number): Samples {
  return chooseSamples(generate({ patients: patientsOf(resources), seed }));
}

function patientsOf(resources: number): number {
  return Math.ceil(resources / perPatient);
}

function digestOf(names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of names)
    for (const path of filesOf(join(root, name))) hash.update(path.slice(root.length)).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(file => file.isFile())
    .map(file => join(file.parentPath, file.name))
    .sort();
}
