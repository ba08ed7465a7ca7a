import { badValue, FhirError, fhirError } from '../../fhir/error.ts';
import { primitives } from '../../fhir/primitive.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { bareParameter } from '../../model/bare-parameter.ts';
import type { NamedQuery, QueryCase, QueryParameter, ResourceType } from '../../model/model.ts';
import { placeholdersIn } from '../../model/named-queries.ts';
import type { Query } from '../ast.ts';
import type { QueryPair } from '../request.ts';
import { CodesUnknown } from './code-set.ts';
import { emptyValue, unsupportedModifier, unsupportedParameter } from './errors.ts';
import { split, wrongEscape } from './escape.ts';
import { valueParsers } from './index.ts';
import { parseCriterion } from './parameter.ts';
import type { SearchContext } from './value.ts';

/** The part of a search that a named query is. */
export interface Named extends Pick<QueryCase, 'latest' | 'none'> {
  /** The pairs that name the query and its parameters. */
  readonly pairs: ReadonlySet<QueryPair>;
  readonly query: Query;
}

/**
 * Parses `_query` with the parameters of the named query, or those of an operation that is a search; undefined without
 * either. The other parameters of the search apply in addition. Throws FhirError 400, also under lenient handling: for
 * an unknown query, and for a parameter that is missing, repeated or invalid.
 * https://hl7.org/fhir/R4/search.html#query
 */
export function parseNamedQuery(
  type: ResourceType,
  pairs: readonly QueryPair[],
  context: SearchContext,
  operation?: NamedQuery,
): Named | undefined {
  if (operation !== undefined) return parseNamed(type, operation, pairs, context);
  const naming = pairs.filter(([name]) => name.startsWith('_query') && name.split(':')[0] === '_query');
  const [pair, other] = naming;
  if (pair === undefined) return undefined;
  const [name, code] = pair;
  if (type.queries.size === 0) throw unsupportedParameter('_query');
  if (name !== '_query') throw unsupportedModifier('_query', name.slice('_query:'.length), []);
  if (other !== undefined) throw badValue('_query', '`_query` is repeated: send it once.');
  const named = type.queries.get(code);
  if (named === undefined) throw unknownQuery(type, code);
  const parsed = parseNamed(type, named, pairs, context);
  return { ...parsed, pairs: new Set([pair, ...parsed.pairs]) };
}

function parseNamed(type: ResourceType, named: NamedQuery, pairs: readonly QueryPair[], context: SearchContext): Named {
  const own = pairs.filter(([one]) => named.parameters.has(one.split(':')[0] ?? ''));
  const values = valuesOf(named, own, type, context);
  const found = named.cases.find(({ when }) => when.every(([name, value]) => values.get(name) === value));
  if (found === undefined) throw new Error(`The ${named.label} has no criteria without a condition`);
  const { criteria, latest, none } = found;
  const of = criteria.flatMap(criterion => criterionQuery(criterion, { type, named, values, context }));
  return {
    pairs: new Set(own),
    query: none === undefined ? { kind: 'and', of } : { kind: 'or', of: [] },
    latest,
    none,
  };
}

function unknownQuery({ name, queries }: ResourceType, code: string): FhirError {
  const offer = [...queries.keys()].map(one => `\`${one}\``).join(', ');
  const text = `\`${code}\` is no named query of ${name}.${didYouMean(code, queries.keys())} Use ${offer}.`;
  return fhirError(400, 'not-supported', text, 'http._query');
}

/** The values of the parameters of a query, by name. */
function valuesOf(
  { label, parameters }: NamedQuery,
  pairs: readonly QueryPair[],
  type: ResourceType,
  context: SearchContext,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [whole, text] of pairs) {
    const [name = '', ...modifier] = whole.split(':');
    const parameter = parameters.get(name);
    if (parameter === undefined) continue;
    if (modifier.length > 0) throw unsupportedModifier(name, modifier.join(':'), []);
    if (values.has(name)) throw badValue(name, `\`${name}\` is repeated: send it once.`);
    if (text.trim() === '') throw emptyValue(name);
    checkValue(parameter, text, type, context);
    values.set(name, text);
  }
  const missing = [...parameters.values()].find(({ name, required }) => required && !values.has(name));
  if (missing === undefined) return values;
  const { name } = missing;
  throw fhirError(400, 'required', `The ${label} needs the parameter \`${name}\`: send it.`, `http.${name}`);
}

/** Throws FhirError 400 for a value that the data type or the search type of the parameter does not have. */
function checkValue(parameter: QueryParameter, text: string, type: ResourceType, context: SearchContext): void {
  const { name, repeats } = parameter;
  const texts = split(text, ',');
  if (texts.length > 1 && !repeats) {
    throw badValue(name, `\`${name}\` has several values: send one, and write a comma in it as \`\\,\`.`);
  }
  const wrong = wrongEscape(text);
  if (wrong !== undefined) {
    const rule = 'a `\\` must precede `,`, `|`, `$` or `\\`';
    throw badValue(name, `\`${wrong}\` in the value of \`${name}\` is not valid: ${rule}.`);
  }
  const param = bareParameter({ code: name, type: parameter.type, resourceType: type.name }); // of any data type
  for (const one of texts) {
    if (one.trim() === '') throw badValue(name, `\`${name}\` has an empty value in its list: remove the comma.`);
    const wanted = wantedBy(parameter, one);
    if (wanted !== undefined) throw badValue(name, `\`${name}\` must be ${wanted}, not \`${one}\`.`);
    valueParsers[parameter.type]({ text: one, param, name }, context);
  }
}

/**
 * What a value must be whose data type does not have it; undefined for a valid one. Numbers, dates without a prefix and
 * texts are as in searches.
 */
function wantedBy({ type, dataType }: QueryParameter, text: string): string | undefined {
  if (dataType === 'string' || type === 'number') return undefined;
  const primitive = primitives.get(dataType);
  if (type === 'date') return /^\d/.test(text) ? undefined : primitive?.wanted; // no prefix
  if (primitive?.json === 'boolean') return text === 'true' || text === 'false' ? undefined : primitive.wanted;
  return primitive?.json !== 'string' || primitive.is(text) ? undefined : primitive.wanted;
}

interface Filling {
  readonly type: ResourceType;
  readonly named: NamedQuery;
  readonly values: ReadonlyMap<string, string>;
  readonly context: SearchContext;
}

/** The query of a criterion; none if it has a parameter without a value. */
function criterionQuery(
  [name, template]: readonly [string, string],
  { type, named, values, context }: Filling,
): readonly Query[] {
  const names = placeholdersIn(template);
  if (names.some(one => !values.has(one))) return [];
  const text = template.replace(/\{([^{}]*)\}/g, (_, one: string) => values.get(one) ?? '');
  try {
    return [parseCriterion(type, [name, text], context)];
  } catch (error) {
    if (!(error instanceof FhirError) || error instanceof CodesUnknown || names.length === 0) throw error;
    const [first = ''] = names;
    const which = names.map(one => `\`${one}\``).join(', ');
    throw badValue(first, `The ${named.label} cannot be made with this ${which}. ${error.message}`);
  }
}
