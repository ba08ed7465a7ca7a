import type { Chain, Has, Join, Query } from '../../search/ast.ts';
import { isNone, none, simplify } from '../../search/simplify.ts';
import { needsCandidates, openTo } from '../../search/walk.ts';
import { containersWith, referredByContained } from './candidates.ts';
import { atMost, joinedTo, type Place } from './joined.ts';
import { replaceJoins } from './replace-joins.ts';
import { treeQuery } from './trees.ts';

/**
 * The query with each join replaced by an equivalent query for the searched records, if at most `most` records match
 * the inner query of the join. The other joins remain.
 */
export async function withSets(query: Query, place: Place, most: number): Promise<Query> {
  return replaceJoins(query, async join => (await setOf(join, place, most)) ?? join);
}

async function setOf(join: Join, place: Place, most: number): Promise<Query | undefined> {
  switch (join.kind) {
    case 'tree':
      return treeQuery(join, place);
    case 'inside':
      return containersWith(join, place, most);
    case 'chain': {
      const outside = await setOfOthers(join, place, most);
      if (outside === undefined) return undefined;
      const inside = { ...join, kind: 'inside' } as const;
      return { kind: 'or', of: [outside, (await containersWith(inside, place, most)) ?? inside] };
    }
    case 'has': {
      const [records, contained] = [
        await setOfOthers(join, place, most),
        await referredByContained(join, join.of, place, most),
      ];
      return records === undefined || contained === undefined ? undefined : { kind: 'or', of: [records, contained] };
    }
    default:
      return join satisfies never;
  }
}

/** The set for the records to which a chain leads, or that refer to the searched ones. */
async function setOfOthers(join: Chain | Has, place: Place, most: number): Promise<Query | undefined> {
  const of = await withSets(simplify(openTo(join)), place, most);
  if (isNone(of)) return none;
  if (needsCandidates(of)) return undefined;
  const others = await atMost(place, join.type, of, most);
  return others === undefined ? undefined : joinedTo(join, others, place);
}

/** The query with each hierarchy replaced by its members, also in joins. Throws FhirError 403 `too-costly`. */
export async function withTrees(query: Query, place: Place): Promise<Query> {
  return replaceJoins(query, async join =>
    join.kind === 'tree' ? treeQuery(join, place) : { ...join, of: await withTrees(join.of, place) },
  );
}
