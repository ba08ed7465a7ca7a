import { requireScope } from '../auth/may.ts';
import { restrict, restriction } from '../auth/restrict.ts';
import { FhirError, fhirError } from '../fhir/error.ts';
import type { Issue } from '../fhir/outcome.ts';
import type { ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import { simplify } from '../search/simplify.ts';
import { hasJoins, needsCandidates } from '../search/walk.ts';
import { parseSearch } from '../search/parse/search.ts';
import { isCriterion } from '../search/parse/criterion.ts';
import type { QueryPair } from '../search/request.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { Precondition, Requirement, StoredVersion } from '../store/port/records.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import { shorten } from '../validation/report.ts';
import type { Engine, FhirRequest, SentRequest } from './interaction.ts';
import { refusePending } from './pending.ts';
import { refuseCostly, withDeadline } from './search/deadline.ts';
import { findPage } from './search/find.ts';
import { requireScopesOfJoins } from './search/searched.ts';
import { anyOrder } from './search/joined.ts';
import type { Place } from './search/joined.ts';
import { withSets, withTrees } from './search/sets.ts';

export const ifNoneExistSource = {
  name: '`If-None-Exist`',
  expression: 'http."If-None-Exist"',
} as const satisfies CriteriaSource;

/**
 * The precondition of If-None-Exist: that nothing matches among the resources that the caller may search. Throws
 * FhirError 400 if the type does not declare it together with search, and as `readCriteria`.
 * https://hl7.org/fhir/R4/http.html#ccreate
 */
export async function ifNoneExist(
  engine: Engine,
  type: ResourceType,
  request: SentRequest,
  partition: Partition,
): Promise<Precondition> {
  const given = request.headers['if-none-exist'];
  if (given === undefined) return { is: 'absent' };
  if (!type.conditionalCreate || !type.interactions.has('search-type')) {
    const text = `\`If-None-Exist\` is not supported for ${type.name}; \`Idempotency-Key\` makes a create repeatable.`;
    throw fhirError(400, 'not-supported', text, ifNoneExistSource.expression);
  }
  try {
    const pairs = parsePairs(queryOf(given, type, request.base));
    const query = await readCriteria(engine, type, request, partition, { pairs, source: ifNoneExistSource });
    return { is: 'no-match', query };
  } catch (error) {
    throw ofHeader(error);
  }
}

/**
 * The query of If-None-Exist, which clients also send after `?`, after the type, and as the whole URL of the search.
 * Throws FhirError 400 for the URL of another search. https://hl7.org/fhir/R4/http.html#ccreate
 */
export function queryOf(given: string, { name }: Pick<ResourceType, 'name'>, base: string): string {
  const mark = given.indexOf('?');
  const path = mark === -1 ? '' : given.slice(0, mark);
  if (path.includes('=')) return given; // a `?` in a value
  const own = ['', name, `/${name}`, `${new URL(base).pathname}/${name}`];
  const searched = /^https?:/i.test(path) ? URL.parse(path)?.pathname : path;
  if (searched !== undefined && own.includes(searched.replace(/\/$/, ''))) return given.slice(mark + 1);
  const text = `\`${shorten(path)}\` is not the search of ${name} here: send criteria alone, such as \`identifier=…\`.`;
  throw fhirError(400, 'value', text, ifNoneExistSource.expression);
}

/** An error of a criterion as one of the header: the request has no parameter of this name. */
function ofHeader(error: unknown): unknown {
  if (!(error instanceof FhirError) || error.status !== 400) return error;
  const { expression } = ifNoneExistSource;
  return new FhirError(
    error.status,
    error.issues.map(issue => ({ ...issue, expression })),
    error.headers,
  );
}

/** Where criteria come from, for errors: their name in a sentence, and the expression of an issue. */
export interface CriteriaSource {
  readonly name: string;
  readonly expression: string | undefined;
}

/**
 * The query of the criteria of a conditional write, among the resources that the caller may search, for which a scope
 * is required too. Throws FhirError 400 without criteria, and for an invalid search; always strictly, since an ignored
 * criterion would match everything. https://hl7.org/fhir/R4/http.html#ccreate
 */
export async function readCriteria(
  engine: Engine,
  type: ResourceType,
  { base, access }: Pick<FhirRequest, 'base' | 'access'>,
  partition: Partition,
  { pairs, source }: { readonly pairs: readonly QueryPair[]; readonly source: CriteriaSource },
): Promise<Query> {
  const { name, expression } = source;
  const { model, now, store, extract, searchDeadline } = engine;
  requireScope(access, model, { interaction: 'search-type', resourceType: type.name }, base, expression);
  const other = pairs.find(([one]) => !isCriterion(one));
  if (other !== undefined) {
    throw fhirError(400, 'value', `\`${other[0]}\` is not a criterion; ${name} accepts criteria only.`, expression);
  }
  const noCriteria = () =>
    fhirError(400, 'value', `${capitalized(name)} has no criteria: every resource would match.`, expression);
  if (pairs.length === 0) throw noCriteria();
  const { zone } = partition.settings;
  const context = { model, base, zone, handling: 'strict', now: now(), joins: true } as const;
  const parse = (some: readonly QueryPair[]) => [parseSearch(type, some, context)];
  const [asked] = parse(pairs);
  if (asked === undefined || asked.query.kind === 'all') throw noCriteria();
  requireScopesOfJoins([asked], { access, model, base, parameters: pairs, parse });
  const query = restrict(access, type, 's', asked.query);
  await refusePending(
    store.indexes,
    partition.id,
    { ...asked, query },
    one => restriction(access, one, 's').kind === 'all',
  );
  if (!needsCandidates(query)) return query;
  return refuseCostly(
    withoutJoins(query, { partition: withDeadline(partition, searchDeadline), extract, base }, source),
  );
}

/** Most records to which a chain or `_has` of criteria leads. */
const MOST_JOINED = 5_000;

/**
 * The criteria as a store decides them in the write: chains and `_has` are replaced by the records to which they lead
 * now. Throws FhirError 403 `too-costly` for too many, 400 for a comparison that no index decides.
 */
async function withoutJoins(query: Query, place: Place, { name, expression }: CriteriaSource): Promise<Query> {
  const found = await withSets(await withTrees(query, place), place, MOST_JOINED);
  if (!needsCandidates(found)) return found;
  if (hasJoins(found)) {
    const text = `The chains of ${name} lead to more than ${MOST_JOINED} records: narrow them.`;
    throw fhirError(403, 'too-costly', text, expression);
  }
  const text = `${capitalized(name)} compares values as no index does, such as by \`ew\` or \`near\`.`;
  throw fhirError(400, 'not-supported', `${text} Use other criteria.`, expression);
}

const capitalized = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The criteria of the URL of a conditional update or delete. */
export const urlCriteria: CriteriaSource = { name: 'the conditional URL', expression: undefined };

/** The record that matches criteria, if there is one. Throws FhirError 412 for several, and what `findPage` does. */
export async function oneMatch(
  type: ResourceType,
  query: Query,
  place: Place,
  source: CriteriaSource,
): Promise<StoredVersion | undefined> {
  const [found, other] = await firstTwo(type, query, place);
  if (other !== undefined) throw severalMatch(type, source);
  return found;
}

/** Two of the matches, to know whether there is exactly one. Throws what `findPage` does. */
export async function firstTwo(type: ResourceType, query: Query, place: Place): Promise<readonly StoredVersion[]> {
  return (await findPage({ type, query, sort: anyOrder, limit: 2, after: undefined }, place)).versions;
}

/** What criteria find, such as `identifier=urn:x|1`. */
export type CriteriaMatch =
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'none' | 'many' }
  /** The type is not declared, so it can neither be stored nor searched. */
  | { readonly kind: 'undeclared' }
  | { readonly kind: 'bad'; readonly issues: readonly Issue[] };

/** What a query finds; `bad` with the issues of a FhirError that reading it or searching throws. */
export const matchOf = (
  type: ResourceType,
  place: Place,
  readQuery: () => Query | Promise<Query>,
): Promise<CriteriaMatch> =>
  matchBad(async () => {
    const [found, other] = await firstTwo(type, await readQuery(), place);
    if (found === undefined) return { kind: 'none' };
    return other === undefined ? { kind: 'one', id: found.id } : { kind: 'many' };
  });

/** What a search finds; `bad` with the issues of a FhirError that it throws. */
export async function matchBad(search: () => Promise<CriteriaMatch>): Promise<CriteriaMatch> {
  try {
    return await search();
  } catch (error) {
    if (error instanceof FhirError) return { kind: 'bad', issues: error.issues };
    throw error;
  }
}

/** What a write of the one match requires: that no other record matches. */
export const onlyMatch = (type: ResourceType, query: Query, id: string): Requirement => ({
  is: 'no-match',
  type: type.name,
  query: simplify({ kind: 'and', of: [query, { kind: 'not', of: { kind: 'id', anyOf: [id] } }] }),
});

/** Several records match where one is required. */
export const severalMatch = ({ name }: ResourceType, source: CriteriaSource): Error =>
  fhirError(412, 'multiple-matches', `Several ${name} match ${source.name}: narrow it to one.`, source.expression);
