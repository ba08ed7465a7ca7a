import { recordsIn } from '../store/port/pages.ts';
import type { Store } from '../store/port/store.ts';
import { type StoreContent, contentsOf, noContent } from './migrate/content.ts';
import { copyRecords } from './migrate/copy.ts';
import { compareNotes, type ComparedNotes, copyNotes } from './migrate/notes.ts';
import { type Pair, preparePairs, start } from './migrate/target.ts';

export interface MigrateOptions {
  readonly from: Store;
  readonly to: Store;
  /** The declared types, whose records progress counts. */
  readonly types: readonly string[];
  /** Identifies the source for an interrupted run: a digest of its location. */
  readonly source: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

export type MigrateProgress =
  | { readonly step: 'copy' | 'compare'; readonly note: string; readonly records: number; readonly of: number }
  | { readonly step: 'done'; readonly result: Migrated };

/** The result of the comparison. */
export interface Migrated {
  readonly types: readonly ComparedType[];
  readonly notes: ComparedNotes;
  /** Both stores have the same content. */
  readonly same: boolean;
  /** Whether an interrupted run was continued. */
  readonly resumed: boolean;
}

export interface ComparedType {
  readonly partition: string;
  readonly type: string;
  readonly from: StoreContent;
  readonly to: StoreContent;
}

/** Interval of progress values in milliseconds. */
const beat = 100;

/**
 * Copies a store into another one: partitions with their settings, every version and tombstone unchanged, attachments,
 * documents, marks and keys. Then it reads both completely and compares them. An interrupted run of the same stores
 * continues; running it again copies what was added since. Throws Error if the target has other records, and the errors
 * of the stores.
 */
export async function* migrate({
  from,
  to,
  types: declared,
  source,
  now,
}: MigrateOptions): AsyncGenerator<MigrateProgress, void> {
  const pairs = await preparePairs(from, to, source);
  const of = await resourcesOf(pairs, declared);
  yield* copy(pairs, source, of);
  await copyNotes(from, to);
  const types = yield* compare(pairs, of);
  const notes = await compareNotes(from, to, now());
  const same = types.every(one => one.from.digest === one.to.digest) && notes.different === 0;
  for (const pair of pairs) await start(pair.to, source);
  yield { step: 'done', result: { types, notes, same, resumed: pairs.some(({ at }) => at !== undefined) } };
}

/** The number of current records in the source. */
async function resourcesOf(pairs: readonly Pair[], types: readonly string[]): Promise<number> {
  let count = 0;
  for (const { from } of pairs) count += await recordsIn(from, types);
  return count;
}

async function* copy(pairs: readonly Pair[], source: string, of: number): AsyncGenerator<MigrateProgress, void> {
  let before = 0;
  for (const { from, to, at } of pairs) {
    let records = 0;
    for await (const copied of copyRecords(from, to, { source, at })) {
      ({ records } = copied);
      yield { step: 'copy', note: noteOf(from, copied.type), records: before + records, of };
    }
    before += records;
  }
}

async function* compare(pairs: readonly Pair[], of: number): AsyncGenerator<MigrateProgress, readonly ComparedType[]> {
  const compared: ComparedType[] = [];
  let records = 0;
  for (const { from, to } of pairs) {
    let type = '';
    const read = (name: string): void => {
      records += 1;
      type = name;
    };
    const both = Promise.all([contentsOf(from, read), contentsOf(to, () => {})]);
    yield* watched(both, () => ({ step: 'compare', note: noteOf(from, type), records, of }));
    const [ours, theirs] = await both;
    // A record that only the target has is a difference too.
    for (const name of [...new Set([...ours.keys(), ...theirs.keys()])].toSorted())
      compared.push({
        partition: from.id,
        type: name,
        from: ours.get(name) ?? noContent(),
        to: theirs.get(name) ?? noContent(),
      });
  }
  return compared;
}

/** What progress is about: a partition and, once a record was read, its type. */
const noteOf = ({ id }: Pair['from'], type: string): string => (type === '' ? id : `${id} ${type}`);

/** Yields progress until the work ends. */
async function* watched<T>(work: Promise<unknown>, progress: () => T): AsyncGenerator<T, void> {
  const end = work.then(
    () => true,
    () => true,
  );
  for (let done = false; !done;) {
    const { promise, resolve } = Promise.withResolvers<false>();
    const timer = setTimeout(() => resolve(false), beat);
    done = await Promise.race([end, promise]);
    clearTimeout(timer);
    yield progress();
  }
}
