import { asString } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { ResourceType, SearchParam, SearchParamType } from '../model/model.ts';
import { explainControl, queryControl, resultControls, typeControl } from '../model/result-controls.ts';
import { offeredModifiers } from '../search/parse/modifiers.ts';
import { exampleOf, exampleOfQuery } from './example-value.ts';
import type { Source } from './source.ts';

/**
 * The schema of the values of a search type, each with commas between alternatives; several values must all match.
 * https://hl7.org/fhir/R4/search.html#ptypes
 */
const searchSchema = (type: SearchParamType | 'words', { components }: Source): JsonObject =>
  components.share('schemas', `search-${type}`, () => ({
    type: 'array',
    items: { type: 'string', ...(patterns[type] === undefined ? {} : { pattern: patterns[type] }) },
    description: descriptions[type],
  }));

const prefix = '(?:eq|ne|gt|lt|ge|le|sa|eb|ap)?';
const number = '[+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?';
const day = '\\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\\d|3[01])';
const time =
  '(?:T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-](?:0\\d|1[0-3]):[0-5]\\d|[+-]14:00)?)?)?)?';

/** One value or several with commas, each of the form. */
const values = (form: string): string => `^${form}(?:,${form})*$`;

/** The forms of values that have one. https://hl7.org/fhir/R4/search.html#date */
const patterns: Partial<Readonly<Record<SearchParamType | 'words', string>>> = {
  date: values(`${prefix}${day}${time}`),
  number: values(`${prefix}${number}`),
};

const several = 'Alternatives are separated by commas; repeat the parameter for values that must all match.';
const prefixes = 'with one of the prefixes eq, ne, gt, lt, ge, le, sa, eb and ap';

const descriptions: Readonly<Record<SearchParamType | 'words', string>> = {
  string: `The beginning of a text; case, accents and punctuation are ignored. ${several}`,
  token: `\`code\`, \`system|code\`, \`|code\` without a system, or \`system|\`. ${several}`,
  reference: `\`Type/id\`, \`id\`, or an absolute URL. ${several}`,
  date: `A date or time, which may be partial, ${prefixes}. ${several}`,
  number: `A number, ${prefixes}. ${several}`,
  quantity: `\`number|system|code\` or \`number||code\`, ${prefixes}. ${several}`,
  uri: `The whole URI. ${several}`,
  composite: `The values of the components, separated by \`$\`. ${several}`,
  special: `A value in the form that the parameter defines. ${several}`,
  words: `Words that must all occur, phrases in quotes, a \`*\` for the end of a word. ${several}`,
};

/** A field of a search, in a query or a form. */
export interface Field {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: JsonObject;
  readonly example?: unknown;
  readonly required?: boolean;
  /** True if the names of its properties are those of the parameters, and its own name is not sent. */
  readonly isObject?: boolean;
}

/** The fields of a search of a type. https://hl7.org/fhir/R4/search.html */
export function typeFields(type: ResourceType, source: Source): readonly Field[] {
  const own = [...type.parameters.values()].map(param => parameterField(param, source));
  const names = new Set(own.map(({ name }) => name));
  const ofQueries = [...type.queries.values()].flatMap(query =>
    [...query.parameters.values()].map((parameter): Field => {
      const schema = searchSchema(parameter.type, source);
      const description = `Parameter of the query \`${query.code}\`.`;
      return { name: parameter.name, description, schema, example: exampleOfQuery(parameter) };
    }),
  );
  const once = new Map(ofQueries.filter(({ name }) => !names.has(name)).map(field => [field.name, field]));
  return [
    ...own,
    ...once.values(),
    ...queryControl(type).map(control => ({
      ...controlField(control),
      schema: { type: 'string', enum: [...type.queries.keys()] },
      example: type.queries.keys().next().value,
    })),
    ...includeFields(type),
    ...(type.searchFeatures.has('filter') ? [filterField] : []),
    ...(type.searchFeatures.has('contained') ? containedFields : []),
    ...(type.searchFeatures.has('score') ? [scoreField] : []),
    ...controlFields(source).map(field => (field.name === '_elements' ? elementsField(field, type, source) : field)),
    modifiersField(type, source),
  ];
}

/** The fields of a search of several types: those of each type are in one object. */
export const severalFields = (source: Source): readonly Field[] => [
  { ...controlField(typeControl), example: source.model.types.keys().next().value },
  ...controlFields(source),
  criteriaField(source),
];

/** The parameters of a search as the properties of one object. */
export const criteriaField = ({ components }: Source): Field => ({
  name: 'criteria',
  schema: components.share('schemas', 'search-criteria', () => ({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Search parameters by name, also with modifiers; of several types those that all of them have.',
  })),
  example: { _lastUpdated: 'ge2024-01-01' },
  isObject: true,
});

/** The parameters that shape each answer to a search. */
function controlFields({ model }: Source): readonly Field[] {
  const explain = model.explainScopes.size > 0 ? [explainControl] : [];
  return [...[...resultControls, ...explain].map(controlField), pageToken];
}

/** The names that `_elements` accepts are those of the type. https://hl7.org/fhir/R4/search.html#elements */
const elementsField = (field: Field, { definition, name }: ResourceType, { components }: Source): Field => ({
  ...field,
  schema: components.share('schemas', `${name}-elements`, () => ({
    type: 'string',
    pattern: `^(?:(?:${[...definition.elements.keys()].join('|')})(?:,(?=.)|$))+$`,
  })),
});

/** Not in the statement, whose parameters are those of R4. https://hl7.org/fhir/R5/search.html#_score */
const scoreField: Field = {
  name: '_score',
  description: '`false`: matches of a search by words have no score.',
  schema: { type: 'string', enum: ['true', 'false'] },
  example: 'false',
};

const pageToken: Field = {
  name: '_page_token',
  description: 'From the `next` link of a page; no other parameter except `_count` is sent with it.',
  schema: { type: 'string' },
};

const controlField = ({ name, documentation }: JsonObject): Field => ({
  name: String(name),
  description: asString(documentation),
  schema: { type: 'string' },
  ...(Object.hasOwn(controls, String(name)) ? controls[String(name)] : {}),
});

const controls: Readonly<Record<string, Pick<Field, 'schema' | 'example'>>> = {
  _count: { schema: { type: 'integer', minimum: 0 }, example: 10 },
  _sort: {
    schema: { type: 'string', pattern: '^-?[A-Za-z_][\\w-]*(?:,-?[A-Za-z_][\\w-]*)*$' },
    example: '-_lastUpdated',
  },
  _summary: { schema: { type: 'string', enum: ['true', 'text', 'data', 'count', 'false'] }, example: 'false' },
  _elements: { schema: { type: 'string', pattern: '^[A-Za-z]+(?:,[A-Za-z]+)*$' }, example: 'id,meta' },
  _total: { schema: { type: 'string', enum: ['none', 'estimate', 'accurate'] }, example: 'accurate' },
  _explain: { schema: { type: 'string', enum: ['true', 'false'] }, example: 'false' },
};

function parameterField(param: SearchParam, source: Source): Field {
  const modifiers = offeredModifiers(param).map(name => `\`:${name}\``);
  const text = [
    param.description?.trim().replace(/[^.]$/, '$&.'),
    modifiers.length === 0 ? undefined : `Modifiers: ${modifiers.join(', ')}.`,
  ];
  return {
    name: param.code,
    description: text.filter(one => one !== undefined).join(' ') || undefined,
    schema: searchSchema(param.reads === 'words' ? 'words' : param.type, source),
    example: [exampleOf(param, source)],
  };
}

/** https://hl7.org/fhir/R4/search.html#include */
function includeFields({ includes }: ResourceType): readonly Field[] {
  const named = { _include: includes.forward, _revinclude: includes.reverse };
  return Object.entries(named).flatMap(([name, values]): readonly Field[] => {
    const [example] = values;
    if (example === undefined) return [];
    const offered = `Values: ${[...values].map(one => `\`${one}\``).join(', ')}.`;
    return [{ name, description: offered, schema: { type: 'array', items: { type: 'string' } }, example: [example] }];
  });
}

const filterField: Field = {
  name: '_filter',
  description: 'Comparisons of search parameters, combined by `and`, `or` and `not`.',
  schema: { type: 'string' },
  example: '_id eq 123',
};

/** https://hl7.org/fhir/R4/search.html#contained */
const containedFields: readonly Field[] = [
  { name: '_contained', schema: { type: 'string', enum: ['true', 'false', 'both'] }, example: 'false' },
  { name: '_containedType', schema: { type: 'string', enum: ['container', 'contained'] }, example: 'container' },
];

/** Parameters with modifiers would be several for each parameter; they are properties of one object. */
function modifiersField({ parameters }: ResourceType, source: Source): Field {
  const [param] = [...parameters.values()].filter(one => offeredModifiers(one).includes('missing'));
  const schema = source.components.share('schemas', 'search-with-modifiers', () => ({
    type: 'object',
    additionalProperties: { type: 'string' },
    propertyNames: { pattern: '[:.]' },
    description: 'Parameters with modifiers, chains and `_has`, by their whole names, such as `name:exact`.',
  }));
  const example = param === undefined ? undefined : { [`${param.code}:missing`]: 'false' };
  return { name: 'withModifiers', schema, example, isObject: true };
}
