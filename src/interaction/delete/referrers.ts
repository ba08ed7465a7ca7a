import { isWithin, restriction } from '../../auth/restrict.ts';
import { FhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import type { Partition } from '../../store/partitions.ts';
import type { StoredVersion } from '../../store/records.ts';
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
  const params = [...from.indexed.values()]
    .filter(param => param.type === 'reference' && param.reads === undefined)
    .filter(({ targets }) => targets.length === 0 || targets.includes(type.name));
  if (params.length === 0) return [];
  const apart: readonly Query[] = from === type ? [{ kind: 'not', of: { kind: 'id', anyOf: ids } }] : [];
  const found: StoredVersion[] = [];
  for (let at = 0; at < ids.length; at += idSlice) {
    const of = params.flatMap(param =>
      ids.slice(at, at + idSlice).map((id): Query => {
        const test = { kind: 'reference', type: type.name, id, base: place.base } as const;
        return { kind: 'param', param, test };
      }),
    );
    const query: Query = { kind: 'and', of: [{ kind: 'or', of }, ...apart] };
    const search = { type: from, query, sort: anyOrder, limit: mostRead, after: undefined };
    found.push(...(await refuseCostly(findPage(search, place))).versions);
  }
  return found;
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
