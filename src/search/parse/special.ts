import { badValue } from '../../fhir/error.ts';
import { canonicalUnit } from '../../fhir/canonical-unit.ts';
import { parseDecimal } from '../../fhir/decimal.ts';
import { isId } from '../../fhir/reference.ts';
import { isPosition } from '../../fhir/position.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { ucumSystem } from '../../fhir/ucum.ts';
import { listsOf } from '../../model/named-queries.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Query } from '../ast.ts';
import type { QueryPair } from '../request.ts';
import { parseDateBounds } from './date.ts';
import { unsupportedParameter } from './errors.ts';
import { split, unescape } from './escape.ts';
import { parsePhonetic } from './phonetic.ts';
import { malformed, type SearchContext, type Value } from './value.ts';

/** What the values of a special parameter are parsed for. */
export interface SpecialContext {
  readonly type: ResourceType;
  readonly context: SearchContext;
  /** Parses one criterion of the type. */
  readonly parse: (pair: QueryPair) => Query;
}

/** The query of the values of a special parameter, which are joined by `or`. Throws FhirError 400. */
export type ParseSpecial = (values: readonly Value[], at: SpecialContext) => Query;

/**
 * The parameters that a store evaluates without index entries, by code.
 * https://hl7.org/fhir/R4/search.html#all
 */
export const specialParameters: ReadonlyMap<string, (values: readonly Value[], context: SearchContext) => Query> =
  new Map([
    ['_id', ids],
    ['_lastUpdated', lastUpdated],
  ]);

/** The parser of a parameter whose query is more than tests of its own entries; undefined for all others. */
export function specialOf({ code, special, reads }: SearchParam): ParseSpecial | undefined {
  if (reads === 'phonetic') return values => ({ kind: 'or', of: values.map(parsePhonetic) });
  const known = specialParameters.get(code);
  if (known !== undefined) return (values, { context }) => known(values, context);
  if (special === undefined) return undefined;
  switch (special.kind) {
    case 'members':
      return (values, at) => ({ kind: 'or', of: members(values, special.by, at) });
    case 'near':
      return (values, at) => ({ kind: 'or', of: values.map(value => near(value, at)) });
    default:
      return special satisfies never;
  }
}

/** Exact and case-sensitive; an invalid id matches nothing. */
function ids(values: readonly Value[]): Query {
  return { kind: 'id', anyOf: [...new Set(values.map(value => unescape(value.text)).filter(isId))] };
}

/** The date prefixes on whole milliseconds: a bound between two of them equals one at the later. */
function lastUpdated(values: readonly Value[], context: SearchContext): Query {
  const of = values
    .flatMap(value => parseDateBounds(value, context.zone, context))
    .map(bounds => bounds.map(bound => ({ ...bound, value: Math.ceil(bound.value) })))
    .map((bounds): Query => ({ kind: 'lastUpdated', bounds }));
  return { kind: 'or', of };
}

/**
 * `latitude|longitude|distance|units`: a distance of 10 km without one, and kilometres without UCUM units.
 * https://hl7.org/fhir/R4/location.html#search
 */
function near(value: Value, { context }: SpecialContext): Query {
  const { param, name, text } = value;
  if (context.joins === undefined) throw unsupportedParameter(name);
  const parts = split(text, '|').map(unescape);
  const [latitude, longitude, distance] = parts.slice(0, 3).map(part => parseDecimal(part)?.value);
  const units = parts[3] ?? 'km';
  if (latitude === undefined || longitude === undefined || parts.length > 4) {
    throw malformed(value, 'write `latitude|longitude|distance|units`, such as `43.65|-79.38|5|km`');
  }
  if (!isPosition(latitude, longitude)) {
    throw malformed(value, 'a latitude is from -90 to 90 degrees, and a longitude from -180 to 180');
  }
  if ((parts[2] ?? '') !== '' && (distance === undefined || distance < 0)) {
    throw malformed(value, `\`${parts[2]}\` is no distance: write a number, 0 or more`);
  }
  const unit = canonicalUnit(ucumSystem, units);
  if (unit?.unit !== 'm') throw malformed(value, `\`${units}\` is no unit of length in UCUM, such as \`km\``);
  const metres = distance === undefined ? usualDistance : unit.convert(distance);
  return { kind: 'entry', param, test: { kind: 'near', position: { latitude, longitude }, distance: metres } };
}

/** The distance of `near` without one, in metres. */
const usualDistance = 10_000;

/**
 * The members of lists: of a record by its id, as `_has` finds them, or of a functional list, `$code`.
 * https://hl7.org/fhir/R4/search.html#list
 */
function members(values: readonly Value[], by: SearchParam, at: SpecialContext): readonly Query[] {
  const { type, context } = at;
  return values.map((value): Query => {
    const { text, name } = value;
    if (text.startsWith('$')) return functional(value, at);
    const list = context.model.types.get(by.resourceType);
    const param = list?.indexed.get(by.code);
    if (context.joins === undefined || list === undefined || param === undefined) throw unsupportedParameter(name);
    if (!isId(text)) {
      const advice = `write the id of a ${list.name}${offerOf(type, ', or ')}`;
      throw badValue(name, `\`${text}\` is not a value for \`${name}\`: ${advice}.`);
    }
    return { kind: 'has', target: type, type: list, param, of: { kind: 'id', anyOf: [text] }, containers: [] };
  });
}

/** A functional list: a named query without parameters. https://hl7.org/fhir/R4/lifecycle.html#lists */
function functional({ text, name }: Value, { type, parse }: SpecialContext): Query {
  const lists = listsOf(type.queries);
  const list = lists.find(({ code }) => text === `$${code}`);
  if (list !== undefined) return { kind: 'and', of: (list.cases[0]?.criteria ?? []).map(parse) };
  const hint = didYouMean(
    text,
    lists.map(({ code }) => `$${code}`),
  );
  const offer = lists.length === 0 ? `${type.name} has none` : `${type.name} has ${offerOf(type)}`;
  throw badValue(name, `\`${text}\` is no functional list.${hint} ${offer}.`);
}

function offerOf({ queries }: ResourceType, before = ''): string {
  const codes = listsOf(queries).map(({ code }) => `\`$${code}\``);
  return codes.length === 0 ? '' : `${before}${codes.join(', ')}`;
}
