import type { Join, Query } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';
import { joinsOf, mapJoins } from '../../search/walk.ts';

/** The query with each join replaced, one after the other. */
export async function replaceJoins(query: Query, replace: (join: Join) => Promise<Query>): Promise<Query> {
  const joins = joinsOf(query);
  if (joins.length === 0) return query;
  const replaced = new Map<Join, Query>();
  for (const join of joins) replaced.set(join, await replace(join));
  return simplify(mapJoins(query, join => replaced.get(join) ?? join));
}
