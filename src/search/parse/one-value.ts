import type { SearchParam } from '../../model/model.ts';
import type { Query } from '../ast.ts';
import { namesNobody } from './reference.ts';
import type { SearchContext, Value, ValueParser } from './value.ts';

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
