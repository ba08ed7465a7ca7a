import { FhirError } from '../fhir/error.ts';
import type { Issue } from '../fhir/outcome.ts';
import { containedCode } from '../model/contained-index.ts';
import type { ResourceType, SearchParam } from '../model/model.ts';
import type { Join, Query } from '../search/ast.ts';
import type { SearchRequest } from '../search/request.ts';
import { joinsOf, parametersOf, parametersOfSort } from '../search/walk.ts';
import { createdOrder, type IndexAdmin } from '../store/port/indexes.ts';

/** `Retry-After` in seconds. */
const retryAfter = '10';

/** The parameters by which records of the other type of a join refer to others. */
function referencesOf(join: Join): readonly SearchParam[] {
  if (join.kind === 'has') return [join.param];
  return join.kind === 'tree' ? [join.by] : [];
}

/** The types of the records inside of which a join looks. */
function containersOf(join: Join): readonly ResourceType[] {
  if (join.kind === 'has') return join.containers.map(({ type }) => type);
  return join.kind === 'tree' ? [] : [join.from];
}

/**
 * Rejects with 503 a search by a parameter whose index is being rebuilt, since its answer would be incomplete; includes
 * the progress, unless that would reveal the number of records to a caller who may not see them all.
 * https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export async function refusePending(
  indexes: Pick<IndexAdmin, 'status'>,
  partition: string,
  { type, query, sort, count }: Pick<SearchRequest, 'type' | 'query' | 'sort' | 'count'>,
  seesAll: (type: ResourceType) => boolean,
): Promise<void> {
  await refuseJoined(indexes, partition, query, seesAll);
  const pending = await indexes.status({ partition, type: type.name, state: 'pending' });
  if (pending.length === 0) return;
  const searched = parametersOf(query).map(({ code }) => code);
  const used = [...searched, ...(count === 0 ? [] : parametersOfSort(type, sort)).map(({ code }) => code)];
  // The order of a type without a sort date is stored too, and may be outdated.
  if (count > 0 && type.sortDate === undefined && sort.some(({ by }) => by === 'default')) used.push(createdOrder);
  const wanted = pending.filter(({ param }) => used.includes(param));
  if (wanted.length === 0) return;
  const isSorted = sort.some(({ by }) => by !== 'default');
  const issues = wanted.map(({ param, done, of }): Issue => {
    const progress = seesAll(type) ? ` (${done} of ${of} resources)` : '';
    const [instead, place] = searched.includes(param) ? ['omit it', param] : ['sort by `_id`', isSorted && '_sort'];
    return {
      severity: 'error',
      code: 'incomplete',
      text: `The search index of ${type.name} is being built: \`${param}\`${progress}. Retry later, or ${instead}.`,
      ...(place !== false && { expression: `http.${place}` }),
    };
  });
  throw new FhirError(503, issues, { 'Retry-After': retryAfter });
}

/** Refuses pending indexes of the other types of joins, whose parameters have other names in the search. */
async function refuseJoined(
  indexes: Pick<IndexAdmin, 'status'>,
  partition: string,
  query: Query,
  seesAll: (type: ResourceType) => boolean,
): Promise<void> {
  for (const join of joinsOf(query)) {
    const own = referencesOf(join).map(param => ({ kind: 'present', param }) as const);
    const inner = { kind: 'and', of: [join.of, ...own] } as const;
    try {
      await refusePending(indexes, partition, { type: join.type, query: inner, sort: [], count: 0 }, seesAll);
      for (const type of containersOf(join)) {
        const param = type.indexed.get(containedCode);
        if (param === undefined) continue;
        const looked = { type, query: { kind: 'present', param }, sort: [], count: 0 } as const;
        await refusePending(indexes, partition, looked, seesAll);
      }
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      const issues = error.issues.map(({ severity, code, text }) => ({ severity, code, text }));
      throw new FhirError(error.status, issues, error.headers);
    }
  }
}
