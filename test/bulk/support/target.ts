import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { load, type LoadOptions } from '../../../src/bulk/load.ts';
import type { LoadProgress } from '../../../src/bulk/progress.ts';
import { loadModel } from '../../support/loaded-once.ts';
import { createExtract } from '../../../src/indexing/extract.ts';
import { createValidator, type Validator } from '../../../src/validation/profile/validator.ts';
import type { Model } from '../../../src/model/model.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import type { StoredVersion } from '../../../src/store/port/records.ts';
import { current } from '../../store/support/current.ts';

const publicUrl = 'http://localhost:8080';

/** A partition `demo` in a SQLite store of its own, with the shipped definitions. */
export interface Target {
  readonly folder: string;
  readonly model: Model;
  readonly definitions: LoadOptions['definitions'];
  readonly store: Store;
  readonly partition: Partition;
  readonly validator: Validator;
  /** Writes a file into the folder and gives its path. */
  file(name: string, content: string | Uint8Array): string;
  /** Loads and gives the last progress. */
  load(paths: readonly string[], options?: Partial<LoadOptions>, stdin?: string | Uint8Array): Promise<LoadProgress>;
  /** The content of the file of rejects, which is then deleted. */
  rejects(): readonly RejectLine[];
  /** The stored text. */
  text(type: string, id: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface RejectLine {
  readonly file: string;
  readonly at: string;
  readonly outcome: {
    readonly issue: readonly {
      readonly code: string;
      readonly diagnostics: string;
      readonly expression?: readonly string[];
    }[];
  };
  readonly record?: string;
}

export async function openTarget(folder = mkdtempSync(join(tmpdir(), 'bulk-'))): Promise<Target> {
  const { model, definitions, problems } = await loadModel({ definitions: [] });
  if (model === undefined) throw new Error(JSON.stringify(problems));
  const extract = createExtract(model);
  const validator = createValidator(definitions, model.definitions);
  const url = `sqlite:${join(folder, 'records.sqlite')}`;
  const store = await openStore(url, { model, extract, now: Date.now, mode: 'command', deadline: 5000 });
  await store.partitions.add('demo', { zone: 'America/Toronto' });
  const partition = await store.partition('demo');
  if (partition === undefined) throw new Error('The partition is not there');
  const rejects = join(folder, 'rejects.ndjson');
  return {
    folder,
    model,
    definitions,
    store,
    partition,
    validator,
    file(name, content) {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    async load(paths, options = {}, stdin = '') {
      let last: LoadProgress | undefined;
      const all: LoadOptions = {
        model,
        definitions,
        partition,
        extract,
        validator,
        base: `${publicUrl}/r4/demo`,
        undeclared: 'skip',
        now: Date.now,
        rejects,
        stdin: Readable.from([Buffer.from(stdin)]),
        ...options,
      };
      for await (const progress of load(paths, all)) last = progress;
      if (last === undefined) throw new Error('There was no progress');
      return last;
    },
    rejects() {
      const lines = readFileSync(rejects, 'utf8').trim().split('\n');
      rmSync(rejects);
      return lines.map(line => JSON.parse(line) as RejectLine);
    },
    text: async (type, id) => (await partition.read(type, id))?.text,
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The numbers of a load, without its progress. `none` has zero for each. */
export const counts = ({ records, created, updated, removed, unchanged, rejected }: LoadProgress) => ({
  records,
  created,
  updated,
  removed,
  unchanged,
  rejected,
});
export const none = { records: 0, created: 0, updated: 0, removed: 0, unchanged: 0, rejected: 0 };

/** A text as it is stored, without the stamp. */
export const stored = async (target: Target, type: string, id: string): Promise<string | undefined> =>
  (await target.text(type, id))?.replace(/"versionId":"[0-9]+","lastUpdated":"[^"]+",?/, '');

/** All current resources of a partition as `Type/id version text`, without the time of their last update. */
export async function contentOf(partition: Partition, types: Iterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const type of types) for await (const version of current(partition, type)) found.push(printVersion(version));
  return found;
}

const printVersion = ({ type, id, version, text }: StoredVersion): string =>
  `${type}/${id} ${version} ${text?.replace(/"lastUpdated":"[^"]*"/, '') ?? ''}`;
