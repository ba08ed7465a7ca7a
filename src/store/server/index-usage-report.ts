import type { Model } from '../../model/model.ts';
import { hasSortIndex } from '../../search/sort.ts';
import { sortKindOf } from '../../search/sort-value.ts';
import type { DocumentStore } from '../port/documents.ts';
import { day, dayOf, type IndexUse, type Kept } from './index-usage.ts';

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

/** Of all of R4, they take longer to list than their uses to read. */
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
