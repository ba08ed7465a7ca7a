// Parts of a model that have nothing but what a test gives them.
import type { TypeDefinition } from '../../src/model/element.ts';
import type { Model, ResourceType, SearchParam, SearchParamType } from '../../src/model/model.ts';
import { terminologyOf } from '../../src/terminology/loaded.ts';

/** A parameter that reads nothing; its expression is its code. */
export const bareParameter = (
  resourceType: string,
  code: string,
  type: SearchParamType,
  fields: Partial<SearchParam> = {},
): SearchParam => ({
  code,
  type,
  url: `http://example.org/SearchParameter/${code}`,
  resourceType,
  expression: code,
  targets: [],
  dataTypes: new Set(),
  delegated: false,
  single: false,
  components: [],
  modifiers: new Set(),
  modified: new Map(),
  reads: undefined,
  digest: code,
  description: undefined,
  ...fields,
});

/** A type that declares no interaction, and only these parameters, all of them indexed. */
export function bareType(
  name: string,
  parameters: readonly SearchParam[],
  fields: Partial<ResourceType> = {},
): ResourceType {
  const byCode = new Map(parameters.map(one => [one.code, one]));
  return {
    name,
    definition: bareDefinition(name),
    interactions: new Set(),
    operations: new Map(),
    queries: new Map(),
    versioning: 'versioned',
    readHistory: false,
    updateCreate: false,
    deletePolicy: 'refuse',
    conditionalCreate: false,
    conditionalUpdate: false,
    conditionalDelete: 'not-supported',
    conditionalRead: 'not-supported',
    referencePolicies: new Set(),
    parameters: byCode,
    indexed: byCode,
    sortDate: byCode.get('date'),
    hierarchy: undefined,
    sortIndexes: new Set(),
    pairs: [],
    modifiers: [],
    searchFeatures: new Set(),
    includes: { forward: new Set(), reverse: new Set() },
    compartmentLinks: new Map(),
    pageSize: { default: 50, max: 1000 },
    profile: undefined,
    supportedProfiles: [],
    smartScopes: [],
    accessCriteria: [],
    accessLinks: [],
    attachment: undefined,
    serverSet: [],
    plainNames: new Map(),
    validationPolicy: undefined,
    ...fields,
  };
}

const bareDefinition = (name: string): TypeDefinition => ({
  name,
  kind: 'resource',
  abstract: false,
  base: 'DomainResource',
  properties: new Map(),
  elements: new Map(),
});

/** A model of this type alone, without terminology and profiles. */
export const bareModel = (type: ResourceType, digest: string, fields: Partial<Model> = {}): Model => ({
  digest,
  types: new Map([[type.name, type]]),
  systemInteractions: new Set(),
  systemOperations: new Map(),
  compartments: new Map(),
  searchedCompartments: new Map(),
  definitions: { get: () => undefined, resourceTypes: new Set([type.name]) },
  statement: {},
  caseSensitive: () => true,
  valueSetSystem: () => undefined,
  snapshot: () => undefined,
  explainScopes: new Set<string>(),
  clinicians: new Set<string>(),
  expansions: terminologyOf({ find: () => undefined, versions: () => [], all: () => [] }).expansions,
  ...fields,
});
