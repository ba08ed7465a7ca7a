import { Cache } from '../../limits/cache.ts';
import type { Model, ResourceType, SearchParam } from '../../model/model.ts';
import type { Query } from '../ast.ts';
import type { QueryPair, SearchRequest } from '../request.ts';
import { simplify } from '../simplify.ts';
import { parserOf } from './index.ts';
import { isInclude } from './include.ts';
import { isControlName } from './result-parameters.ts';
import { specialOf } from './special.ts';
import type { SearchContext, Value, ValueParser } from './value.ts';
import { namesNobody } from './reference.ts';

/**
 * What all searches of a type have in common that name the same parameters in the same order, with the same values of
 * controls and includes: apps send few such shapes again and again, with other values.
 */
interface Shape {
  readonly type: ResourceType;
  /** The part of the request that is the same in all of them. */
  readonly common: Omit<SearchRequest, 'query' | 'at' | 'used' | 'self'>;
  readonly places: readonly PairPlace[];
}

/** A pair of a search: with a parameter, or a control or an include with its value as received and as applied. */
type PairPlace = Parameter | Control;

interface Parameter {
  readonly name: string;
  readonly param: SearchParam;
  readonly parse: ValueParser;
}

interface Control {
  readonly name: string;
  readonly param?: undefined;
  readonly received: string;
  readonly applied: QueryPair;
}

/** The shapes of one set of definitions: more than the apps of a server send, and at most some 500 KB. */
const mostShapes = 500;
const longestKey = 300;
const shapesOf = new WeakMap<Model, Cache<Shape>>();

/** The request, if the shape of the search is kept and each value is one without escapes; undefined otherwise. */
export function parseKeptShape(
  type: ResourceType,
  pairs: readonly QueryPair[],
  context: SearchContext,
): SearchRequest | undefined {
  const shape = shapesOf.get(context.model)?.get(keyOf(type, pairs));
  if (shape?.type !== type || shape.places.length !== pairs.length) return undefined;
  const of: Query[] = [];
  const used: QueryPair[] = [];
  for (const place of shape.places) {
    const pair = pairs[used.length];
    if (pair === undefined || pair[0] !== place.name) return undefined;
    const text = pair[1];
    if (place.param === undefined) {
      if (text !== place.received) return undefined;
      used.push(place.applied);
    } else {
      const { name, param, parse } = place;
      if (!isOne(text) || isEmpty(text, param)) return undefined;
      of.push(queryOf({ text, param, name }, parse, context));
      used.push(pair);
    }
  }
  return { ...shape.common, query: simplify({ kind: 'and', of }), at: context.now, used, self: used };
}

/** Keeps the shape of a parsed search of controls and includes, and of parameters without modifiers. */
export function keepShape(pairs: readonly QueryPair[], request: SearchRequest, { model }: SearchContext): void {
  const { query: _, at: __, used, self: ___, ...common } = request;
  const { type, scored, contained, warnings } = common;
  if (scored !== undefined || contained !== undefined || warnings.length > 0) return;
  const places: PairPlace[] = [];
  for (const [at, [name, text]] of pairs.entries()) {
    const applied = used[at];
    const place = isFixed(name) ? applied && { name, received: text, applied } : plainParameter(type, name);
    if (place === undefined) return;
    places.push(place);
  }
  const key = keyOf(type, pairs);
  if (key.length > longestKey) return;
  const kept = shapesOf.get(model) ?? new Cache<Shape>(mostShapes);
  shapesOf.set(model, kept);
  kept.put(key, { type, common, places });
}

/** A parameter whose query is tests of its own entries, for which no set of codes is needed. */
function plainParameter(type: ResourceType, name: string): Parameter | undefined {
  const param = type.parameters.get(name);
  return param === undefined || specialOf(param) !== undefined ? undefined : { name, param, parse: parserOf(param) };
}

/** Two searches of different shapes may have one key, so that the shape must be compared. */
function keyOf({ name: type }: ResourceType, pairs: readonly QueryPair[]): string {
  let key = type;
  for (const [name, value] of pairs) key += isFixed(name) ? `\n${name}=${value}` : `\n${name}`;
  return key;
}

/** Whether the value of a pair belongs to the shape. */
const isFixed = (name: string): boolean => name.startsWith('_') && (isControlName(name) || isInclude(name));

/** Whether a text is one value without escapes, as in most searches; it may be an empty one. */
export const isOne = (text: string): boolean => !/[\\,]/.test(text);

/** Whether a value is empty; `Type/` is for a reference. */
export const isEmpty = (text: string, { type }: SearchParam): boolean =>
  text.trim() === '' || (type === 'reference' && namesNobody(text));

/** The query for one value: an entry passes one of its tests. Throws FhirError 400 for a malformed value. */
export function queryOf(value: Value, parse: ValueParser, context: SearchContext): Query {
  const { param } = value;
  const of = parse(value, context).map((test): Query => ({ kind: 'param', param, test }));
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'or', of };
}
