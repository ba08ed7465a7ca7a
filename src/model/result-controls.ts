import type { JsonObject } from '../fhir/json-object.ts';
import type { ResourceType } from './model.ts';

/**
 * The parameters that control the answer of every search, as the statement lists them. No SearchParameter of R4 defines
 * them. https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.searchParam
 */
export const resultControls: readonly JsonObject[] = [
  {
    name: '_count',
    type: 'number',
    documentation: 'Matches on a page; 0 only counts. A number above the maximum is lowered to it.',
  },
  {
    name: '_sort',
    type: 'string',
    documentation:
      '`_id`, `_lastUpdated` and parameters of the type except composites, separated by commas; `-` before one is ' +
      'descending.',
  },
  {
    name: '_summary',
    type: 'token',
    documentation: 'One of `true`, `text`, `data`, `count` and `false`.',
  },
  {
    name: '_elements',
    type: 'string',
    documentation: 'Top-level elements of the type, separated by commas; others are left out of the answer.',
  },
  {
    name: '_total',
    type: 'token',
    documentation: 'One of `none` (the default), `estimate` and `accurate`.',
  },
];

/** The control of searches of the whole system and of compartments. */
export const typeControl: JsonObject = {
  name: '_type',
  type: 'token',
  documentation: 'In a search of several types: the types to search, separated by commas.',
};

/** The parameter that names a query, if the type has any. https://hl7.org/fhir/R4/search.html#query */
export function queryControl({ queries }: Pick<ResourceType, 'queries'>): readonly JsonObject[] {
  if (queries.size === 0) return [];
  return [
    {
      name: '_query',
      definition: 'http://hl7.org/fhir/SearchParameter/Resource-query',
      type: 'token',
      documentation: `One of ${[...queries.keys()].map(code => `\`${code}\``).join(', ')}, with its parameters.`,
    },
  ];
}

/** The control of searches that are explained, where the capability files declare `search-explain`. */
export const explainControl: JsonObject = {
  name: '_explain',
  type: 'token',
  documentation: '`true`: the answer is a Parameters resource that says how the search is understood and answered.',
};
