import type { Join, Query } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';
import { joinsOf, mapJoins, needsCandidates } from '../../search/walk.ts';
import { atMost, joinedTo, type Place } from './joined.ts';
import { treeQuery } from './trees.ts';

/**
 * The query with each join replaced by an equivalent query for the searched records, if at most `most` records match
 * the inner query of the join. The other joins remain.
 */
export async function withSets(query: Query, place: Place, most: number): Promise<Query> {
  return replaceJoins(query, async join => (await setOf(join, place, most)) ?? join);
}

async function setOf(join: Join, place: Place, most: number): Promise<Query | undefined> {
  if (join.kind === 'tree') return treeQuery(join, place);
  const of = await withSets(join.of, place, most);
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

/** The query with each join replaced, one after the other. */
export async function replaceJoins(query: Query, replace: (join: Join) => Promise<Query>): Promise<Query> {
  const joins = joinsOf(query);
  if (joins.length === 0) return query;
  const replaced = new Map<Join, Query>();
  for (const join of joins) replaced.set(join, await replace(join));
  return simplify(mapJoins(query, join => replaced.get(join) ?? join));
}
