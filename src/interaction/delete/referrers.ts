import { isWithin, restriction } from '../../auth/restrict.ts';
import { FhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { paramsReferringTo } from '../../store/plan/indexes.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Requirement, StoredVersion } from '../../store/port/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { refuseCostly } from '../search/deadline.ts';
import { findPage } from '../search/find.ts';
import { anyOrder } from '../search/joined.ts';
import type { Place } from '../search/joined.ts';

/** Referrers of each type that one search reads. */
const mostRead = 100;

/** Ids that one search names. */
const idSlice = 100;

/** Referrers that an answer names. */
const mostNamed = 50;

/** Records of one type, and those of the same type that are deleted too, whose references do not count. */
interface Deleted {
  readonly ids: readonly string[];
  readonly deleted: readonly string[];
}

/**
 * Throws FhirError 409 if other records refer to records of a type, in any element, with those that the caller may
 * see. https://hl7.org/fhir/R4/http.html#delete
 */
export async function refuseReferred(
  engine: Pick<Engine, 'model' | 'extract'>,
  { access, base, partition }: Pick<FhirRequest, 'access' | 'base' | 'partition'>,
  type: ResourceType,
  asked: Deleted,
): Promise<void> {
  const { extract } = engine;
  const { ids } = asked;
  const seen = new Set<string>();
  let isReferred = false;
  for await (const [from, { text, ...record }] of referrersOf(engine, { partition, extract, base }, type, asked)) {
    isReferred = true;
    const isSeen = (['r', 's'] as const).some(
      letter =>
        text !== undefined &&
        isWithin(restriction(access, from, letter), from, { ...record, text }, extract, partition),
    );
    if (isSeen) seen.add(`${from.name}/${record.id}`);
  }
  const [only] = ids;
  const what = ids.length === 1 ? `\`${type.name}/${only}\` is not deleted` : 'Nothing is deleted';
  if (isReferred) throw new FhirError(409, issuesOf(what, [...seen]));
}

/** Some records of each type that refer to others of `type`, with their type, in parts. */
async function* referrersOf(
  { model }: Pick<Engine, 'model'>,
  place: Place & { readonly partition: Partition },
  type: ResourceType,
  { ids, deleted }: Deleted,
): AsyncIterable<readonly [ResourceType, StoredVersion]> {
  const { partition, base } = place;
  for (let at = 0; at < ids.length; at += idSlice) {
    const some = ids.slice(at, at + idSlice);
    const names = new Set(await refuseCostly(partition.types({ type: type.name, ids: some, base })));
    for (const [from, params] of paramsReferringTo(model, type.name)) {
      if (!names.has(from.name)) continue;
      const of = params.flatMap(param =>
        some.map((id): Query => ({ kind: 'param', param, test: { kind: 'reference', type: type.name, id, base } })),
      );
      const apart: readonly Query[] = from === type ? [{ kind: 'not', of: { kind: 'id', anyOf: deleted } }] : [];
      const query: Query = { kind: 'and', of: [{ kind: 'or', of }, ...apart] };
      const search = { type: from, query, sort: anyOrder, limit: mostRead, after: undefined };
      for (const version of (await refuseCostly(findPage(search, place))).versions) yield [from, version];
    }
  }
}

/** What the deletion of records requires: that no other records than those that are deleted too refer to them. */
export const unreferred = (
  { name: type }: ResourceType,
  ids: readonly string[],
  { deleted, base }: { readonly deleted: readonly string[]; readonly base: string },
): Requirement => ({ is: 'unreferred', type, ids, base, except: deleted.map(id => ({ type, id })) });

function issuesOf(what: string, seen: readonly string[]): readonly Issue[] {
  const shown = seen.slice(0, mostNamed);
  const who = shown.length === 0 ? 'other records refer to it' : 'these records refer to it, and possibly others';
  const text = `${what}, since ${who}. Change or delete them first.`;
  return [
    { severity: 'error', code: 'conflict', text },
    ...shown.map((name): Issue => ({ severity: 'error', code: 'conflict', text: `\`${name}\` refers to it.` })),
  ];
}
