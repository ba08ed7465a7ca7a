import { parseInstantRange } from '../../fhir/instant-range.ts';
import { asObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { compileExpression } from '../../fhirpath/extract/expression.ts';
import type { CompiledExpression } from '../../fhirpath/extract/expression.ts';
import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { SearchParam } from '../../model/model.ts';
import { fiveWsOf } from '../definition/notes.ts';

/** When something was, in milliseconds since 1970 UTC. */
export interface TimeSpan {
  readonly start: number;
  /** Undefined for a period that has no end yet. */
  readonly end: number | undefined;
  /** The start as recorded, or the end if there is no start. */
  readonly text: string;
  /** The end as recorded, of a period. */
  readonly endText: string | undefined;
}

/**
 * When the content of a record was: from what its definition calls the initiation to what it calls done ("five Ws"),
 * else planned; else the first value of the date parameter; else when it was recorded. Undefined without a date.
 * `zone`: IANA name. https://hl7.org/fhir/R4/fivews.html
 */
export function timeSpanOf(
  resource: JsonObject,
  { type, param }: { readonly type: TypeDefinition; readonly param: SearchParam | undefined },
  definitions: TypeDefinitions,
  zone: string,
): TimeSpan | undefined {
  const [begun, done, planned] = ['init', 'done', 'planned'].map(of => elementSpan(resource, type, of, zone));
  if (begun !== undefined) return done === undefined ? begun : { ...begun, end: done.end, endText: lastText(done) };
  const other = param === undefined ? undefined : parameterSpan(resource, param, definitions, zone);
  return done ?? planned ?? other ?? elementSpan(resource, type, 'recorded', zone);
}

const lastText = ({ text, endText }: TimeSpan): string => endText ?? text;

/** The first value of the elements of a category that is a date. */
function elementSpan(resource: JsonObject, type: TypeDefinition, category: string, zone: string): TimeSpan | undefined {
  for (const { types } of fiveWsOf(type, category)) {
    for (const { property, code } of types) {
      const value = resource[property];
      const span = value === undefined ? undefined : spanOf(Array.isArray(value) ? value[0] : value, code, zone);
      if (span !== undefined) return span;
    }
  }
  return undefined;
}

const compiled = new WeakMap<SearchParam, CompiledExpression>();

function parameterSpan(
  resource: JsonObject,
  param: SearchParam,
  definitions: TypeDefinitions,
  zone: string,
): TimeSpan | undefined {
  if (param.delegated) return undefined; // it may take long, or fail
  const expression = compiled.get(param) ?? compileExpression(param.expression, param.resourceType, definitions);
  compiled.set(param, expression);
  const spans = expression.evaluate(resource).flatMap(({ value, type }) => spanOf(value, type, zone) ?? []);
  return spans.length === 0 ? undefined : spans.reduce((first, one) => (one.start < first.start ? one : first));
}

/** The span of a date, dateTime, instant or Period; undefined for other types and invalid values. */
function spanOf(value: unknown, type: string, zone: string): TimeSpan | undefined {
  if (type === 'Period') {
    const { start, end } = asObject(value);
    const [from, to] = [start, end].map(one => (typeof one === 'string' ? parseInstantRange(one, zone) : undefined));
    const first = from ?? to;
    const text = from === undefined ? end : start;
    if (first === undefined || typeof text !== 'string') return undefined;
    const last = typeof end === 'string' && to !== undefined ? end : undefined;
    return { start: first.low, end: to?.high, text, endText: last === text ? undefined : last };
  }
  if (typeof value !== 'string' || !dates.has(type)) return undefined;
  const range = parseInstantRange(value, zone);
  return range && { start: range.low, end: range.high, text: value, endText: undefined };
}

const dates: ReadonlySet<string> = new Set(['date', 'dateTime', 'instant']);
