import { MAX_TIME, MIN_TIME, parseInstantRange } from '../../src/fhir/instant-range.ts';
import { foldCode, foldString } from '../../src/indexing/normalize.ts';
import { joinWords, printWords } from '../../src/indexing/words.ts';
import { quantityValue } from '../../src/indexing/quantity.ts';
import type { CompositeValue, IndexEntry, IndexValue, ReferenceValue } from '../../src/indexing/entry.ts';
import type { Model, ResourceType, SearchParam, SearchParamType } from '../../src/model/model.ts';
import { terminologyOf } from '../../src/terminology/loaded.ts';
import { withModified, withModifiers } from '../../src/model/search-modifiers.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { matches, type Indexed } from '../../src/search/matches.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import type { SearchContext } from '../../src/search/parse/value.ts';
import { print } from '../../src/search/print.ts';
import type { QueryPair, SearchRequest } from '../../src/search/request.ts';
import { bareModel, bareParameter, bareType } from '../support/bare-model.ts';
import { terminology } from './terminology.ts';

/** A resource type with a search parameter of every kind, made for the tables of search. */
const typeName = 'Observation';

export const parameter = (
  code: string,
  type: SearchParamType,
  dataTypes: readonly string[],
  more: Partial<SearchParam> = {},
): SearchParam =>
  bareParameter(typeName, code, type, {
    expression: `${typeName}.${code}`,
    dataTypes: new Set(dataTypes),
    ...more,
  });

const size = parameter('size', 'quantity', ['Quantity']);
const code = parameter('code', 'token', ['CodeableConcept']);

export const parameters: readonly SearchParam[] = [
  parameter('_id', 'token', ['id']),
  parameter('_lastUpdated', 'date', ['instant']),
  parameter('name', 'string', ['HumanName']),
  code,
  parameter('status', 'token', ['code']),
  parameter('active', 'token', ['boolean']),
  parameter('phone', 'token', ['ContactPoint']),
  parameter('site', 'token', ['uri']),
  parameter('url', 'uri', ['uri']),
  parameter('patient', 'reference', ['Reference'], { targets: ['Patient'] }),
  parameter('subject', 'reference', ['Reference'], { targets: ['Patient', 'Group'] }),
  parameter('focus', 'reference', ['Reference']),
  withModifiers(parameter('plan', 'reference', ['canonical']), ['above', 'below']),
  parameter('form', 'reference', ['canonical'], { targets: ['Questionnaire'] }),
  parameter('born', 'date', ['date'], { single: true }),
  parameter('date', 'date', ['dateTime', 'Period']),
  parameter('when', 'date', ['date', 'dateTime', 'instant']),
  parameter('score', 'number', ['decimal', 'Range']),
  size,
  parameter('code-size', 'composite', ['Observation'], {
    components: [
      { param: code, expression: 'code' },
      { param: size, expression: 'value' },
    ],
  }),
  parameter('near', 'special', []),
  parameter('position', 'special', ['BackboneElement'], {
    special: { kind: 'near' },
    components: ['latitude', 'longitude'].map(name => ({
      param: parameter(name, 'number', ['decimal']),
      expression: name,
    })),
  }),
  parameter('narrative', 'string', ['Narrative'], { reads: 'words' }),
  parameter('sound', 'string', ['HumanName'], { reads: 'phonetic' }),
  withModifiers(parameter('remark', 'string', ['string']), ['text']),
  withModifiers(parameter('source', 'uri', ['uri']), ['above', 'below']),
  withModifiers(parameter('kind', 'token', ['CodeableConcept']), ['text', 'in', 'not-in', 'above', 'below']),
  withModifiers(parameter('identifier', 'token', ['Identifier']), ['text', 'ofType']),
  withModifiers(parameter('author', 'reference', ['Reference'], { targets: ['Patient', 'Group'] }), [
    'type',
    'identifier',
  ]),
  withModifiers(parameter('link', 'reference', ['Reference', 'canonical']), ['type']),
];

const definitions = readTypeDefinitions();
const definition = definitions.get(typeName);
if (definition === undefined) throw new Error('The definitions lack a type');
const indexed = parameters
  .filter(({ code }) => code !== '_id' && code !== '_lastUpdated')
  .flatMap(withModified)
  .map(param => [param.code, param] as const);

export const thing: ResourceType = bareType(typeName, parameters, {
  definition,
  interactions: new Set(['search-type']),
  indexed: new Map(indexed),
});

export const model: Model = bareModel(thing, 'thing', {
  definitions,
  caseSensitive: system => system === 'http://exact',
  expansions: terminologyOf(terminology).expansions,
});

export const context: SearchContext = {
  model,
  base: 'https://example.org/r4/demo',
  zone: 'America/Toronto',
  handling: 'strict',
  now: Date.UTC(2026, 0, 1),
};

/** `a=1&b=2` as pairs, percent-decoded as HTTP does. */
export const pairs = (query: string): QueryPair[] => [...new URLSearchParams(query)];

export const search = (query: string, more: Partial<SearchContext> = {}): SearchRequest =>
  parseSearch(thing, pairs(query), { ...context, ...more });

/** What a row of a table states: the printed query, and which of the resources it finds. */
export function explain(query: string, resources: readonly Indexed[]): { ast: string; finds: string } {
  const request = search(query);
  const found = resources.filter(resource => matches(request.query, resource));
  return { ast: print(request.query), finds: found.map(({ id }) => id).join(' ') };
}

/** The error that a query ends in: status, code and text. */
export function refusal(query: string, more: Partial<SearchContext> = {}): string {
  try {
    search(query, more);
  } catch (error) {
    if (error instanceof Error && 'status' in error && 'issues' in error) {
      const [issue] = error.issues as { code: string; expression?: string; text: string }[];
      return `${String(error.status)} ${issue?.code} ${issue?.expression}: ${issue?.text}`;
    }
    throw error;
  }
  return 'no error';
}

export const resource = (id: string, entries: readonly IndexEntry[], lastUpdated = 0): Indexed => ({
  id,
  lastUpdated,
  entries,
});

type Single = CompositeValue['of'][number][number];

export const entry = (param: string, value: IndexValue): IndexEntry => ({ param, value });
export const token = (system: string | undefined, code: string | undefined): Single => {
  const caseSensitive = system === 'http://exact';
  return {
    kind: 'token',
    system,
    code: code === undefined || caseSensitive ? code : foldCode(code),
    caseSensitive,
  };
};
export const text = (text: string): Single => ({ kind: 'string', text, folded: foldString(text) });
/** The words of texts, as full-text search indexes them. */
export const words = (...texts: readonly string[]): IndexValue => ({
  kind: 'words',
  text: texts.map(printWords).reduce(joinWords),
});
export const reference = (type: string, id: string): Single => ({
  kind: 'reference',
  type,
  id,
  url: undefined,
  version: undefined,
});
/** A canonical; an empty version is that of one without. */
export const canonical = (url: string, version = ''): ReferenceValue => ({
  kind: 'reference',
  type: undefined,
  id: undefined,
  url,
  version,
});
/** An absolute URL in a Reference. */
export const absolute = (url: string): ReferenceValue => ({ ...canonical(url), version: undefined });
/** A date, or `start..end` of a period with either end open. */
export const date = (written: string, zone = 'America/Toronto'): Single => {
  const [start = '', end = start] = written.split('..');
  const low = start === '' ? MIN_TIME : parseInstantRange(start, zone)?.low;
  const high = end === '' ? MAX_TIME : parseInstantRange(end, zone)?.high;
  if (low === undefined || high === undefined) throw new Error(`${written} is no date`);
  return { kind: 'date', low, high };
};
export const uri = (uri: string): Single => ({ kind: 'uri', uri });
export const number = (low: number, high = low): Single => ({ kind: 'number', low, high });
export const position = (latitude: number, longitude: number): CompositeValue => ({
  kind: 'composite',
  of: [[number(latitude)], [number(longitude)]],
});
/** The values of `:of-type`: types as `system|code`, and the value. */
export const typed = (types: readonly (readonly [system: string, code: string])[], value: string): CompositeValue => ({
  kind: 'composite',
  of: [types.map(([system, code]) => token(system, code)), [token(undefined, value)]],
});
export const quantity = (value: number, system?: string, code?: string, unit?: string): Single =>
  quantityValue({ low: value, high: value }, { system, code, unit });
