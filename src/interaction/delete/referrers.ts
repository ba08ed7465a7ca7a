import { isWithin, restriction } from '../../auth/restrict.ts';
import { FhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Requirement, StoredVersion } from '../../store/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { refuseCostly } from '../search/costly.ts';
import { findPage } from '../search/find.ts';
import { anyOrder } from '../search/joined.ts';
import type { Place } from '../search/joined.ts';

/** Referrers of each type that one search reads. */
const mostRead = 100;

/** Ids that one search names. */
const idSlice = 100;

/** Referrers that an answer names. */
const mostNamed = 50;

/**
 * Throws FhirError 409 if other records refer to records of a type, by any indexed parameter, with those that the
 * caller may see. References among these records do not count. https://hl7.org/fhir/R4/http.html#delete
 */
export async function refuseReferred(
  engine: Pick<Engine, 'model' | 'extract'>,
  { access, base }: Pick<FhirRequest, 'access' | 'base'>,
  partition: Partition,
  type: ResourceType,
  ids: readonly string[],
): Promise<void> {
  const { model, extract } = engine;
  const seen = new Set<string>();
  let isReferred = false;
  for (const from of model.types.values()) {
    for (const { text, ...record } of await referrersOf({ partition, extract, base }, { from, type, ids })) {
      isReferred = true;
      const isSeen = (['r', 's'] as const).some(
        letter =>
          text !== undefined &&
          isWithin(restriction(access, from, letter), from, { ...record, text }, extract, partition),
      );
      if (isSeen) seen.add(`${from.name}/${record.id}`);
    }
  }
  const [only] = ids;
  const what = ids.length === 1 ? `\`${type.name}/${only}\` is not deleted` : 'Nothing is deleted';
  if (isReferred) throw new FhirError(409, issuesOf(what, [...seen]));
}

interface Target {
  readonly from: ResourceType;
  readonly type: ResourceType;
  readonly ids: readonly string[];
}

/** Some records of a type that refer to others of `type`, in parts. */
async function referrersOf(place: Place, { from, type, ids }: Target): Promise<readonly StoredVersion[]> {
  const found: StoredVersion[] = [];
  for (let at = 0; at < ids.length; at += idSlice) {
    const some = ids.slice(at, at + idSlice);
    const query = referring({ from, type, ids: some }, ids, place.base);
    if (query === undefined) return [];
    const search = { type: from, query, sort: anyOrder, limit: mostRead, after: undefined };
    found.push(...(await refuseCostly(findPage(search, place))).versions);
  }
  return found;
}

/** What the deletion of a record requires: that no other records than those that are deleted too refer to it. */
export function unreferred(
  model: Model,
  type: ResourceType,
  id: string,
  { deleted, base }: { readonly deleted: readonly string[]; readonly base: string },
): readonly Requirement[] {
  return [...model.types.values()].flatMap((from): readonly Requirement[] => {
    const query = referring({ from, type, ids: [id] }, deleted, base);
    return query === undefined ? [] : [{ is: 'no-match', type: from.name, query }];
  });
}

/** The query for records that refer to others, except those that are deleted; undefined if a type cannot. */
function referring({ from, type, ids }: Target, deleted: readonly string[], base: string): Query | undefined {
  const params = [...from.indexed.values()]
    .filter(param => param.type === 'reference' && param.reads === undefined)
    .filter(({ targets }) => targets.length === 0 || targets.includes(type.name));
  if (params.length === 0) return undefined;
  const of = params.flatMap(param =>
    ids.map((id): Query => ({ kind: 'param', param, test: { kind: 'reference', type: type.name, id, base } })),
  );
  const apart: readonly Query[] = from === type ? [{ kind: 'not', of: { kind: 'id', anyOf: deleted } }] : [];
  return { kind: 'and', of: [{ kind: 'or', of }, ...apart] };
}

function issuesOf(what: string, seen: readonly string[]): readonly Issue[] {
  const shown = seen.slice(0, mostNamed);
  const who = shown.length === 0 ? 'other records refer to it' : 'these records refer to it, and possibly others';
  const text = `${what}, since ${who}. Change or delete them first.`;
  return [
    { severity: 'error', code: 'conflict', text },
    ...shown.map((name): Issue => ({ severity: 'error', code: 'conflict', text: `\`${name}\` refers to it.` })),
  ];
}
