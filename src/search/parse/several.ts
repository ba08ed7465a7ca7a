import { badValue } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Include } from '../include.ts';
import type { QueryPair, SearchRequest } from '../request.ts';
import { sortKindOf } from '../sort-value.ts';
import { asWarning, emptyValue, unsupportedModifier } from './errors.ts';
import { Ignorable, isIgnored } from './ignorable.ts';
import { isInclude, parseInclude } from './include.ts';
import { includedTypes } from './included-types.ts';
import { parseElements } from './result-parameters.ts';
import { checkSize, checkSummary, parseSized } from './search.ts';
import { parseKeptShape } from './shape.ts';
import type { SearchContext } from './value.ts';

/** The types that a search covers, from the names in `_type`; undefined without it. Throws FhirError. */
export type ChooseTypes = (names: readonly string[] | undefined) => readonly ResourceType[];

/**
 * Parses a search of several types: one request for each of them, with the same controls. Every parameter must be one
 * of all types, and so must a sort key, with values of one kind. Throws FhirError 400; under lenient handling a
 * parameter that one of the types lacks is ignored for all. https://hl7.org/fhir/R4/http.html#search
 */
export function parseSearchOfTypes(
  pairs: readonly QueryPair[],
  context: SearchContext,
  choose: ChooseTypes,
): readonly SearchRequest[] {
  checkSize(pairs);
  const named = pairs.filter(([name]) => name === '_type' || name.startsWith('_type:'));
  const types = choose(typeNames(named));
  const { includes, used, warnings } = parseIncludes(types, pairs, context);
  // An element of one of the types need not be one of all.
  const [cut, twice] = pairs.filter(([name]) => name === '_elements');
  const isCut = cut !== undefined && twice === undefined && cut[1] !== '';
  const elements = isCut ? parseElements(cut[1], [...types, ...includedTypes(includes, context.model)]) : undefined;
  const apart = new Set([...named, ...(isCut ? [cut] : [])]);
  const own = pairs.filter(pair => !apart.has(pair) && !isInclude(pair[0]));
  const requests = requestsOf(types, own, context);
  const [first] = requests;
  if (first === undefined) return [];
  checkSummary(first.summary, includes);
  if (first.contained !== undefined) throw badValue('_contained', 'A search with `_contained` is of one type.');
  checkSort(requests);
  const count = Math.min(...requests.map(request => request.count));
  const all = [...apart, ...used, ...first.used.map(([name, value]) => [name, name === '_count' ? `${count}` : value])];
  const shared = { includes, elements, count, used: all as readonly QueryPair[], self: all as readonly QueryPair[] };
  const ignored = new Map([...warnings, ...requests.flatMap(one => one.warnings)].map(one => [one.expression, one]));
  return requests.map(request => ({ ...request, ...shared, warnings: [...ignored.values()] }));
}

function typeNames(named: readonly QueryPair[]): readonly string[] | undefined {
  const [pair, other] = named;
  if (pair === undefined) return undefined;
  const [name, value] = pair;
  if (name !== '_type') throw unsupportedModifier('_type', name.slice('_type:'.length), []);
  if (other !== undefined) throw badValue('_type', '`_type` is repeated: send it once, with commas between the types.');
  if (value.split(',').includes('')) throw emptyValue('_type');
  return [...new Set(value.split(','))];
}

/** The requests of the types, by the parameters that all of them have. */
function requestsOf(
  types: readonly ResourceType[],
  pairs: readonly QueryPair[],
  context: SearchContext,
): readonly SearchRequest[] {
  const parse = (type: ResourceType, of: readonly QueryPair[]): SearchRequest =>
    parseKeptShape(type, of, context) ?? parseSized(type, of, context);
  const requests = types.map(type => parse(type, pairs));
  const isUsed = ([name]: QueryPair): boolean => requests.every(({ used }) => used.some(([one]) => one === name));
  const common = pairs.filter(isUsed);
  if (common.length === pairs.length) return requests;
  return types.map((type, at) => ({ ...parse(type, common), warnings: requests[at]?.warnings ?? [] }));
}

interface Includes {
  readonly includes: readonly Include[];
  readonly used: readonly QueryPair[];
  readonly warnings: readonly Issue[];
}

/** An include is one of the types that have it. */
function parseIncludes(types: readonly ResourceType[], pairs: readonly QueryPair[], context: SearchContext): Includes {
  const found: Includes & { includes: Include[]; used: QueryPair[]; warnings: Issue[] } = {
    includes: [],
    used: [],
    warnings: [],
  };
  for (const pair of pairs.filter(([name]) => isInclude(name))) {
    const errors: unknown[] = [];
    const of = types.flatMap(type => {
      try {
        return [parseInclude(type, pair, context.model)];
      } catch (error) {
        errors.push(error);
        return [];
      }
    });
    const [first] = of;
    if (first !== undefined) {
      const links = new Map(of.flatMap(one => one.links).map(link => [`${link.type.name} ${link.param.code}`, link]));
      found.includes.push({ ...first, links: [...links.values()] });
      found.used.push(pair);
    } else if (errors.length > 0) {
      const error = errors.find(one => !(one instanceof Ignorable)) ?? errors[0];
      if (!(error instanceof Ignorable)) throw error;
      if (!isIgnored(pair[0], context)) throw error.cause;
      found.warnings.push(...asWarning(error.cause));
    }
  }
  return found;
}

/** The values of a sort key must be comparable. */
function checkSort(requests: readonly SearchRequest[]): void {
  const [first, ...others] = requests;
  for (const [at, key] of (first?.sort ?? []).entries()) {
    if (key.by !== 'param') continue;
    const isOther = ({ sort }: SearchRequest): boolean => {
      const one = sort[at];
      return one?.by !== 'param' || sortKindOf(one.param) !== sortKindOf(key.param);
    };
    const other = others.find(isOther);
    if (other === undefined) continue;
    const text = `\`${key.param.code}\` has values of different kinds in ${first?.type.name} and ${other.type.name}`;
    throw badValue('_sort', `${text}: sort by another parameter, or name other types in \`_type\`.`);
  }
}
