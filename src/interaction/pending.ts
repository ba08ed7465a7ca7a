import { fhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import type { SearchRequest } from '../search/request.ts';
import { joinsOf, parametersOf, parametersOfSort } from '../search/walk.ts';
import type { Partition } from '../store/partitions.ts';

/** Seconds after which asking again makes sense. */
const retryAfter = '10';

/**
 * Refuses with 503 a search by a parameter whose index is still being built, since its answer would lack what is not indexed yet;
 * says how far the building is, unless that would tell a caller who does not see every record how many there are. https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export async function refusePending(
  partition: Partition,
  { type, query, sort, count }: Pick<SearchRequest, 'type' | 'query' | 'sort' | 'count'>,
  seesAll: (type: ResourceType) => boolean,
): Promise<void> {
  for (const join of joinsOf(query)) {
    const own = join.kind === 'has' ? [{ kind: 'present', param: join.param } as const] : [];
    const inner = { kind: 'and', of: [join.of, ...own] } as const;
    await refusePending(partition, { type: join.type, query: inner, sort: [], count: 0 }, seesAll);
  }
  const pending = await partition.pending(type.name);
  if (pending.length === 0) return;
  const used = [...parametersOf(query), ...(count === 0 ? [] : parametersOfSort(type, sort))].map(({ code }) => code);
  // The order of a type without a sort date is kept too, and may have been another one.
  if (count > 0 && type.sortDate === undefined && sort.some(({ by }) => by === 'default')) used.push('_lastUpdated');
  const wanted = pending.filter(({ param }) => used.includes(param));
  if (wanted.length === 0) return;
  const progress = wanted
    .map(({ param, done, of }) => (seesAll(type) ? `\`${param}\` (${done} of ${of} resources)` : `\`${param}\``))
    .join(', ');
  throw fhirError(
    503,
    'incomplete',
    `The search index of ${type.name} is being built: ${progress}. Ask again later, or without these parameters.`,
    undefined,
    { 'Retry-After': retryAfter },
  );
}
