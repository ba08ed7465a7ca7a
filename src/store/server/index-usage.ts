import type { Model, ResourceType } from '../../model/model.ts';
import { sortKindOf } from '../../search/sort-value.ts';
import { hasSortIndex } from '../../search/sort.ts';
import { type Clause, visitIndexes } from '../plan/clause.ts';
import type { DocumentStore } from '../port/documents.ts';

/** The uses of an index in some days. */
export interface UsedIndex {
  readonly type: string;
  readonly code: string;
  readonly use: IndexUse;
  readonly uses: number;
  /** The last day with a use, as `2026-11-23`; undefined without any. */
  readonly last: string | undefined;
}

/**
 * The uses of every declared index in the last days, today included, of all processes: the most used first. `since` is
 * the first day for which any are stored; undefined without any.
 */
export async function readIndexUsage(
  documents: DocumentStore,
  model: Model,
  days: number,
  now: number,
): Promise<{ readonly indexes: readonly UsedIndex[]; readonly since: string | undefined }> {
  const all = declared.get(model) ?? indexesOf(model).map((one): [string, UsedIndex] => [keyOf(one), one]);
  declared.set(model, all);
  const found = new Map(all);
  const first = dayOf(now - (days - 1) * day);
  let since: string | undefined;
  for await (const { key, value } of documents.list(first)) {
    const [last = ''] = key.split('/');
    since ??= last;
    for (const [type, of] of Object.entries((value as Kept).uses))
      for (const use of ['search', 'sort'] as const)
        for (const [code, n] of Object.entries(of[use] ?? {})) {
          const known = found.get(keyOf({ type, code, use }));
          if (known !== undefined) found.set(keyOf(known), { ...known, uses: known.uses + n, last });
        }
  }
  return { indexes: [...found.values()].toSorted((a, b) => b.uses - a.uses), since };
}

/** The declared indexes are kept: those of all of R4 take longer to list than their uses to read. */
const declared = new WeakMap<Model, readonly [key: string, UsedIndex][]>();

const keyOf = ({ type, code, use }: Pick<UsedIndex, 'type' | 'code' | 'use'>): string => `${type} ${use} ${code}`;

/** The declared indexes: of parameters, of pairs, and of orders. */
function indexesOf(model: Model): readonly UsedIndex[] {
  return [...model.types.values()].flatMap(type => {
    const unused = (code: string, use: IndexUse): UsedIndex => ({
      type: type.name,
      code,
      use,
      uses: 0,
      last: undefined,
    });
    const sorted = [...type.indexed.values()].filter(
      param => sortKindOf(param) !== undefined && hasSortIndex(type, param),
    );
    return [
      ...[...type.indexed.keys()].map(code => unused(code, 'search')),
      ...type.pairs.map(({ code }) => unused(code, 'search')),
      ...sorted.map(({ code }) => unused(code, 'sort')),
    ];
  });
}

/** What an index is used for: to find matches, or for their order. */
export type IndexUse = 'search' | 'sort';

/** Counts a use of an index of a type: of a parameter or of a pair (`patient+code`). */
export type CountUse = (type: ResourceType, code: string, use: IndexUse) => void;

/**
 * Counts the indexes of a search; of a count those of its clauses alone. `codeOf` names the parameter of an index;
 * `sorts` are the indexes of the sort keys.
 */
export function countUses<I>(
  used: CountUse | undefined,
  { type, codeOf }: { readonly type: ResourceType; readonly codeOf: (index: I) => string },
  clauses: readonly Clause<I>[],
  sorts: readonly I[] = [],
): void {
  if (used === undefined) return;
  for (const clause of clauses) visitIndexes(clause, index => used(type, codeOf(index), 'search'));
  for (const index of sorts) used(type, codeOf(index), 'sort');
}

/** The uses of the indexes of types, by type, use and code: `{ Observation: { search: { code: 3 } } }`. */
export type Uses = Record<string, Partial<Record<IndexUse, Record<string, number>>>>;

/** The collection of documents with the uses of a day: `{day}/{slot}`, one slot for each process. */
export const usageCollection = 'index-usage';

/** Days for which the uses are stored. */
export const usageDays = 31;

export const day = 86_400_000;

/** Most documents of a day: the processes after so many starts share the last one, and may lose uses of each other. */
const mostSlots = 64;

/** The value of such a document. */
export interface Kept {
  readonly process: string;
  readonly uses: Uses;
}

export interface IndexUsage {
  readonly count: CountUse;
  /** Adds the uses since the last call to those of the day (UTC). Rejects like `put`; the next call then adds them. */
  flush(documents: DocumentStore): Promise<void>;
}

type Counts = Map<ResourceType, Record<IndexUse, Map<string, number>>>;

/** Counts the uses of indexes in this process, whose id is unique. `now`: milliseconds since 1970 UTC. */
export function createIndexUsage(process: string, now: () => number): IndexUsage {
  let counts: Counts = new Map();
  let stored: { readonly key: string; readonly uses: Uses } | undefined;
  const add = (type: ResourceType, code: string, use: IndexUse, more: number): void => {
    let of = counts.get(type);
    if (of === undefined) counts.set(type, (of = { search: new Map(), sort: new Map() }));
    of[use].set(code, (of[use].get(code) ?? 0) + more);
  };
  return {
    count: (type, code, use) => add(type, code, use, 1),
    async flush(documents) {
      if (counts.size === 0) return;
      const taken = counts;
      counts = new Map();
      try {
        const time = now();
        const [today, options] = [dayOf(time), { expires: time + usageDays * day }];
        const before =
          stored?.key.startsWith(today) === true ? stored : await takeSlot(documents, today, process, options);
        const uses = structuredClone(before.uses);
        for (const [{ name }, code, use, n] of entriesOf(taken)) addTo(uses, name, use, code, n);
        await documents.put(before.key, { process, uses } satisfies Kept, options);
        stored = { key: before.key, uses };
      } catch (error) {
        for (const one of entriesOf(taken)) add(...one);
        throw error;
      }
    },
  };
}

function* entriesOf(counts: Counts): Iterable<[type: ResourceType, code: string, use: IndexUse, uses: number]> {
  for (const [type, of] of counts)
    for (const use of ['search', 'sort'] as const) for (const [code, uses] of of[use]) yield [type, code, use, uses];
}

/** The first free document of the day. */
async function takeSlot(
  documents: DocumentStore,
  today: string,
  process: string,
  options: { readonly expires: number },
): Promise<{ readonly key: string; readonly uses: Uses }> {
  for (let slot = 0; ; slot += 1) {
    const key = `${today}/${String(slot).padStart(2, '0')}`;
    // Only this module writes them.
    const kept = (await documents.put(key, { process, uses: {} } satisfies Kept, {
      ...options,
      ifAbsent: true,
    })) as Kept;
    if (kept.process === process || slot === mostSlots - 1) return { key, uses: kept.uses };
  }
}

/** The day of a time, UTC. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function addTo(uses: Uses, type: string, use: IndexUse, code: string, n: number): void {
  const of = ((uses[type] ??= {})[use] ??= {});
  of[code] = (of[code] ?? 0) + n;
}
