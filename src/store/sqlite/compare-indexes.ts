import { differInRoot, rootIn } from '../at-root.ts';
import { rootRanges } from '../terms.ts';
import type { Database } from './open.ts';
import type { WantedIndex, WantedPartition } from './wanted.ts';

/** How the kept indexes of a type stand to the wanted ones. */
export interface Compared {
  /** Codes of those that are as they are wanted. */
  readonly same: readonly string[];
  /** By another public URL on which nothing in them depends: they are as they are wanted under this digest. */
  readonly moved: readonly { readonly p: number; readonly code: string; readonly digest: string }[];
  /** Numbers of those that must go. */
  readonly changed: readonly number[];
}

interface Kept {
  readonly p: number;
  readonly digest: string;
  readonly ready: boolean;
}

/** Compares the kept indexes of a type, by number, in a partition, by number, with those that are wanted. */
export function compareIndexes(database: Database, n: number, t: number, wanted: readonly WantedIndex[]): Compared {
  const rows = database.all(`SELECT code, p, digest, state FROM parameters WHERE t = ? AND state <> 'dropped'`, [t]);
  const kept = new Map(
    rows.map(([code, p, digest, state]): [string, Kept] => [
      String(code),
      { p: Number(p), digest: String(digest), ready: state === 'ready' },
    ]),
  );
  const [partition] = database.get('SELECT id FROM partitions WHERE n = ?', [n]) ?? [];
  const same: string[] = [];
  const moved = new Map<string, Compared['moved'][number]>();
  // Pairs come last: they have the terms of their owner within their own.
  for (const { code, digest, owner } of wanted.toSorted((a, b) => Number('owner' in a) - Number('owner' in b))) {
    const found = kept.get(code);
    if (found === undefined) continue;
    const stays = (): boolean =>
      owner === undefined
        ? !dependsOnRoot(database, found.p, rootIn(digest) ?? '', String(partition))
        : moved.has(owner) && kept.get(owner)?.ready === true;
    if (found.digest === digest) same.push(code);
    else if (differInRoot(found.digest, digest) && stays()) moved.set(code, { p: found.p, code, digest });
  }
  const stay = new Set([...same, ...moved.keys()]);
  const changed = [...kept].filter(([code]) => !stay.has(code)).map(([, { p }]) => p);
  return { same, moved: [...moved.values()], changed };
}

/** Whether the kept indexes of all partitions are as they are wanted, but for a public URL on which nothing in them depends. */
export function isWanted(database: Database, partitions: readonly WantedPartition[]): boolean {
  return partitions.every(({ n, types }) =>
    types.every(({ type, indexes }) => {
      const [t = 0] = database.get('SELECT t FROM types WHERE n = ? AND type = ?', [n, type]) ?? [];
      return compareIndexes(database, n, Number(t), indexes).changed.length === 0;
    }),
  );
}

/** Whether an index has entries that are others by this public URL. */
function dependsOnRoot(database: Database, p: number, root: string, partition: string): boolean {
  return rootRanges(root, partition).some(
    ({ from, to }) =>
      database.get('SELECT 1 FROM terms WHERE p = ? AND v >= ? AND v < ? LIMIT 1', [p, from, to]) !== undefined,
  );
}
