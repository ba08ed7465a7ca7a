import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { LoadContext } from '../interaction/write/context.ts';
import { FileLoad } from './file-load.ts';
import { type Input, listInputs } from './input.ts';
import { Counts, type LoadProgress } from './progress.ts';
import { digestOf } from './read/bytes.ts';
import { Rejects, requireRejects } from './rejects.ts';
import { BatchWriter } from './writer.ts';

export interface LoadOptions extends LoadContext {
  /** Path of the file for rejected records; created if needed. */
  readonly rejects: string;
  /** The stream of the input `-`. */
  readonly stdin: Readable;
  /** Stops the load when it aborts: everything read until then is durable. */
  readonly signal?: AbortSignal;
}

/** Interval of progress values in milliseconds. */
const beat = 100;

/**
 * Loads files, folders and stdin (`-`) into a partition: NDJSON, Bundles, single resources, also compressed by gzip.
 * Invalid records are rejected one by one, a transaction as a whole; the rest is durable with the last value, which has
 * `done` unless the signal stopped it. An interrupted load of the same files continues, and loading again changes
 * nothing. Throws Error for unreadable input and for a file of rejects with other content, and the errors of the store.
 * https://hl7.org/fhir/R4/nd-json.html, https://hl7.org/fhir/R4/bundle.html
 */
export async function* load(paths: readonly string[], options: LoadOptions): AsyncGenerator<LoadProgress, void> {
  requireRejects(options.rejects);
  const { inputs, links } = await listInputs(paths, options.rejects);
  const sizes = inputs.map(input => input.size);
  const total = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const digests = await digestsOf(inputs);
  const key = digests === undefined ? undefined : markKey(digests, options);
  const mark = key === undefined ? undefined : await options.partition.mark(key);
  const from = parsePosition(mark);
  const counts = new Counts(total, links, () => performance.now());
  const writer = new BatchWriter({
    partition: options.partition,
    counts,
    key,
    marked: mark,
  });
  const rejects = new Rejects(options.rejects, from.file > 0 || from.units > 0);
  const isStopped = (): boolean => options.signal?.aborted === true;
  options.signal?.addEventListener('abort', () => options.stdin.destroy()); // which may have no data for a long time
  let isDone = false;
  try {
    yield* unless(isStopped, readAll());
    isDone = !isStopped();
    if (isDone) await writer.finish();
    else await writer.stop();
  } finally {
    rejects.close();
  }
  yield counts.progress(isDone);

  async function* readAll(): AsyncGenerator<LoadProgress, void> {
    let last = performance.now();
    for (const [index, input] of inputs.entries()) {
      counts.file = input.name;
      if (index < from.file) {
        counts.bytes += input.size ?? 0;
        continue;
      }
      const digest = digests?.[index] ?? '';
      const reader = new FileLoad({ options, counts, writer, rejects, file: input.name, digest });
      for await (const _ of reader.run(input, index, index === from.file ? from.units : 0)) {
        if (isStopped()) return;
        const now = performance.now();
        if (now - last < beat) continue;
        last = now;
        yield counts.progress(false);
        await setImmediate();
      }
      if (isStopped()) return;
    }
  }
}

/** The values of a source, whose errors are ignored once it is stopped: its input is closed then. */
async function* unless<T>(isStopped: () => boolean, source: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* source;
  } catch (error) {
    if (!isStopped()) throw error;
  }
}

/** sha-256 of each input; undefined if one of them can be read only once. */
async function digestsOf(inputs: readonly Input[]): Promise<readonly string[] | undefined> {
  const digests: string[] = [];
  for (const { path, size } of inputs) {
    if (path === undefined || size === undefined) return undefined;
    digests.push(await digestOf(path));
  }
  return digests;
}

/** The mark depends on the content of the inputs and on the settings that decide which records are loaded. */
function markKey(digests: readonly string[], { model, undeclared }: LoadContext): string {
  const hash = createHash('sha256').update([...digests, model.digest, undeclared].join('\n'));
  return `load:${hash.digest('hex')}`;
}

/** A position has the form `{file index} {number of loaded units}`. */
function parsePosition(mark: string | undefined): { readonly file: number; readonly units: number } {
  const [file = 0, units = 0] = (mark ?? '').split(' ').map(Number);
  return Number.isInteger(file) && Number.isInteger(units) ? { file, units } : { file: 0, units: 0 };
}
