import { badValue, type FhirError, fhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { NamedQuery, ResourceType } from '../../model/model.ts';
import type { Query } from '../ast.ts';
import type { Include } from '../include.ts';
import type { QueryPair, SearchRequest } from '../request.ts';
import { scoredParameters } from '../score.ts';
import { simplify } from '../simplify.ts';
import { joinsOf } from '../walk.ts';
import { asWarning, emptyValue, unsupportedModifier } from './errors.ts';
import { checkCodes } from './code-set.ts';
import { checkContained, containedOf, isContained, takeContained } from './contained.ts';
import { split } from './escape.ts';
import { Ignorable, isIgnored } from './ignorable.ts';
import { isInclude, parseInclude } from './include.ts';
import { includedTypes } from './included-types.ts';
import { parseNamedQuery } from './named-query.ts';
import { parseParameter } from './parameter.ts';
import {
  isControlName,
  parseCount,
  parseElements,
  parseScore,
  parseSort,
  parseSummary,
  parseTotal,
} from './result-parameters.ts';
import { keepShape, parseKeptShape } from './shape.ts';
import type { SearchContext } from './value.ts';

/** Maximum number of parameters, and of values of all parameters, in one search: each is work for the store. */
const MOST_PAIRS = 100;
const MOST_VALUES = 1000;
/**
 * Most chains and `_has` in one search, inner ones included: each is a search of its own. A chain that may lead to any
 * type of R4 has 146.
 */
const MOST_JOINS = 200;

/**
 * Parses the pairs of a query on a type: parameters joined by `and`, controls each once; those of an operation that is
 * a search are its own. Throws FhirError 400 for invalid parameters; under lenient handling unknown and empty
 * parameters become warnings instead and are not among the used ones. https://hl7.org/fhir/R4/search.html
 */
export function parseSearch(
  type: ResourceType,
  pairs: readonly QueryPair[],
  context: SearchContext,
  operation?: NamedQuery,
): SearchRequest {
  const kept = operation === undefined ? parseKeptShape(type, pairs, context) : undefined;
  if (kept !== undefined) return kept;
  checkSize(pairs);
  return parseSized(type, pairs, context, operation);
}

/** Parses pairs as `parseSearch` does, after `checkSize`: a search of several types checks their number once. */
export function parseSized(
  type: ResourceType,
  pairs: readonly QueryPair[],
  context: SearchContext,
  operation?: NamedQuery,
): SearchRequest {
  const request = parseAny(type, pairs, context, operation);
  if (operation === undefined) keepShape(pairs, request, context); // else its names have another meaning
  return request;
}

function parseAny(
  type: ResourceType,
  pairs: readonly QueryPair[],
  context: SearchContext,
  operation?: NamedQuery,
): SearchRequest {
  checkControls(type, pairs);
  const warnings: Issue[] = [];
  const used: QueryPair[] = [];
  const queries: Query[] = [];
  const includes: Include[] = [];
  const given = new Map<string, string>();
  const named = parseNamedQuery(type, pairs, context, operation);
  if (named !== undefined) queries.push(named.query);
  if (named?.none !== undefined) warnings.push({ severity: 'warning', code: 'not-supported', text: named.none });
  for (const pair of pairs) {
    try {
      if (named?.pairs.has(pair) === true) {
        used.push(pair);
        continue;
      }
      if (!pair[0].startsWith('_'))
        queries.push(parseParameter(type, pair, context)); // as most
      else if (isContained(pair[0])) takeContained(type, pair, given, context);
      else if (isInclude(pair[0])) includes.push(parseInclude(type, pair, context.model));
      else if (!isControl(pair[0], type)) queries.push(parseParameter(type, pair, context));
      else if (pair[1] === '') throw new Ignorable(emptyValue(pair[0]));
      else given.set(...pair);
      used.push(pair);
    } catch (error) {
      if (!(error instanceof Ignorable)) throw error;
      if (!isIgnored(pair[0], context)) throw error.cause;
      warnings.push(...asWarning(error.cause));
    }
  }
  const query = simplify({ kind: 'and', of: queries });
  checkCodes(query);
  if (countJoins(query) > MOST_JOINS) {
    const text = `The search follows more than ${MOST_JOINS} references: give fewer chains, or name their types.`;
    throw fhirError(400, 'too-costly', text);
  }
  const scored = type.searchFeatures.has('score') && scoredParameters(query).length > 0 ? query : undefined;
  const included = (): readonly ResourceType[] => includedTypes(includes, context.model);
  const answer = results(type, scored, given, used, included);
  checkSummary(answer.summary, includes);
  const contained = containedOf(given, { type, query });
  const latest = named?.latest === undefined ? {} : latestOnly(parseSort(`-${named.latest}`, type), answer);
  const request = { type, query, scored, includes, contained, warnings, at: context.now, ...answer, ...latest };
  checkContained(request);
  return request;
}

/** Throws FhirError 400 for more parameters or values than one search may have. */
export function checkSize(pairs: readonly QueryPair[]): void {
  if (pairs.length > MOST_PAIRS) {
    throw fhirError(400, 'too-costly', `The search has ${pairs.length} parameters: give at most ${MOST_PAIRS}.`);
  }
  const counts = pairs.map(([, text]) => (text.includes(',') ? split(text, ',').length : 1));
  const values = counts.reduce((sum, count) => sum + count, 0);
  if (values <= MOST_VALUES) return;
  const [name] = pairs[counts.indexOf(Math.max(...counts))] ?? [];
  const text = `The search has ${values} values: give at most ${MOST_VALUES} at once.`;
  throw fhirError(400, 'too-costly', text, `http.${name}`); // the parameter with the most
}

/** Throws FhirError 400 for includes with `_summary=text`. https://hl7.org/fhir/R4/search.html#summary */
export function checkSummary(summary: SearchRequest['summary'], includes: readonly Include[]): void {
  if (includes.length === 0 || summary !== 'text') return;
  throw badValue('_summary', '`_summary=text` cannot be combined with `_include` or `_revinclude`.');
}

const countJoins = (query: Query): number => joinsOf(query).reduce((sum, join) => sum + 1 + countJoins(join.of), 0);

/** Parses the controls; the used pairs have `_count` as applied. */
function results(
  type: ResourceType,
  scored: Query | undefined,
  given: ReadonlyMap<string, string>,
  pairs: readonly QueryPair[],
  included: () => readonly ResourceType[],
): Omit<SearchRequest, 'type' | 'query' | 'scored' | 'includes' | 'warnings' | 'at'> {
  const read = <T>(name: string, parse: (value: string, type: ResourceType) => T): T | undefined => {
    const value = given.get(name);
    return value === undefined ? undefined : parse(value, type);
  };
  const count = read('_count', parseCount) ?? type.pageSize.default;
  const summary = read('_summary', parseSummary) ?? 'false';
  // `_count=0` is the same as `_summary=count`. https://hl7.org/fhir/R4/search.html#count
  const countOnly = count === 0 || summary === 'count';
  const used = pairs.map((pair): QueryPair => (pair[0] === '_count' ? ['_count', String(count)] : pair));
  return {
    sort: read('_sort', value => parseSort(value, type, scored)) ?? [{ by: 'default', descending: true }],
    count: countOnly ? 0 : count,
    after: undefined,
    summary: countOnly ? 'count' : summary,
    elements: read('_elements', value => parseElements(value, [type, ...included()])),
    total: countOnly ? 'accurate' : (read('_total', parseTotal) ?? 'none'),
    scores: read('_score', parseScore) ?? true,
    used,
    self: used,
  };
}

/** The controls of a search for the first match in an order. */
const latestOnly = (sort: SearchRequest['sort'], { count }: Pick<SearchRequest, 'count'>) =>
  ({ sort, count: Math.min(count, 1), firstOnly: true }) satisfies Partial<SearchRequest>;

const isControl = (name: string, { searchFeatures }: ResourceType): boolean =>
  isControlName(name) && (name !== '_score' || searchFeatures.has('score'));

/** Each control at most once and without a modifier; page tokens are not accepted here. */
function checkControls(type: ResourceType, pairs: readonly QueryPair[]): void {
  const seen = new Set<string>();
  for (const [name] of pairs) {
    if (!name.startsWith('_')) continue;
    const colon = name.indexOf(':');
    const code = colon === -1 ? name : name.slice(0, colon);
    if (!isControl(code, type)) continue;
    if (colon !== -1) throw unsupportedModifier(code, name.slice(colon + 1), []);
    if (seen.has(code)) throw repeated(code);
    seen.add(code);
  }
  if (seen.has('_page_token')) throw badValue('_page_token', 'A `_page_token` cannot be used here.');
}

/** It is undefined which of two values applies. */
function repeated(name: string): FhirError {
  return badValue(name, `\`${name}\` is repeated: send it once.`);
}
