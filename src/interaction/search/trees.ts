import { fhirError } from '../../fhir/error.ts';
import type { Query, Tree } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';
import { atMost, indexedBy, leadingTo, type Place, referringTo } from './joined.ts';

/** Most members of a hierarchy, the resource itself included, and most levels below or above it. */
export interface TreeLimits {
  readonly members: number;
  readonly levels: number;
}

const usualLimits: TreeLimits = { members: 5_000, levels: 100 };

/**
 * The query for references to the members of a hierarchy, which are read level by level; a cycle ends at the first
 * member that is known. Throws FhirError 403 `too-costly` for too many members or levels.
 */
export async function treeQuery(tree: Tree, place: Place, limits: TreeLimits = usualLimits): Promise<Query> {
  const { type, param } = tree;
  const ids = new Set([tree.id]);
  for (let level = [tree.id], levels = 0; level.length > 0; levels += 1) {
    if (levels > limits.levels) throw tooCostly(tree, `more than ${limits.levels} levels`);
    const found = await neighbours(tree, level, limits.members, place);
    level = found?.filter(id => !ids.has(id)) ?? [];
    for (const id of level) ids.add(id);
    if (found === undefined || ids.size > limits.members) throw tooCostly(tree, `more than ${limits.members} members`);
  }
  return referringTo(param, type, [...ids].map(withId), place);
}

/** The ids of the resources directly below or above those of a level; undefined if they are more than `most`. */
async function neighbours(
  { type, by, how, of }: Tree,
  level: readonly string[],
  most: number,
  place: Place,
): Promise<readonly string[] | undefined> {
  const at: Query = how === 'below' ? referringTo(by, type, level.map(withId), place) : { kind: 'id', anyOf: level };
  const found = await atMost(place, type, simplify({ kind: 'and', of: [at, of] }), most);
  if (found === undefined || how === 'below') return found?.map(({ id }) => id);
  const values = indexedBy([by], found, type, place).flatMap(({ entries }) => entries.map(({ value }) => value));
  const above = leadingTo(type, values, place);
  return above.kind === 'id' ? above.anyOf : [];
}

const withId = (id: string): { id: string; lastUpdated: number; entries: [] } => ({ id, lastUpdated: 0, entries: [] });

function tooCostly({ how, param, type, id }: Tree, what: string): Error {
  return fhirError(
    403,
    'too-costly',
    `\`${type.name}/${id}\` has ${what} ${how} it. Search \`${param.code}:${how}\` by a resource with fewer.`,
    `http.${param.code}:${how}`,
  );
}
