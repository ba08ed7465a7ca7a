import { extensionBase } from '../model/extension-shapes.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** A search parameter as a server declares it. */
export interface DeclaredParameter {
  readonly name: string;
  readonly type: string;
  readonly definition: string | undefined;
}

/** An operation as a server declares it. */
export interface DeclaredOperation {
  readonly name: string;
  /** The canonical of its OperationDefinition, without the version. */
  readonly definition: string;
}

/** A resource type as a server declares it. */
export interface DeclaredType {
  readonly name: string;
  readonly interactions: ReadonlySet<string>;
  readonly parameters: readonly DeclaredParameter[];
  readonly includes: readonly string[];
  readonly revincludes: readonly string[];
  readonly conditionalRead: string;
  readonly conditionalCreate: boolean;
  readonly conditionalUpdate: boolean;
  readonly conditionalDelete: string;
  readonly versioning: string;
  readonly updateCreate: boolean;
  readonly operations: readonly DeclaredOperation[];
  /** Whether searches accept `_filter`. */
  readonly hasFilter: boolean;
}

/** The interface of a server. */
export interface Statement {
  readonly fhirVersion: string;
  readonly software: string;
  readonly formats: readonly string[];
  readonly patchFormats: readonly string[];
  readonly interactions: ReadonlySet<string>;
  readonly types: ReadonlyMap<string, DeclaredType>;
  readonly isSmart: boolean;
  /** Canonicals of the searched compartments, without versions. */
  readonly compartments: ReadonlySet<string>;
}

/**
 * Reads the part of a CapabilityStatement that is tested. https://hl7.org/fhir/R4/capabilitystatement.html
 */
export function readStatement(json: JsonObject): Statement {
  const rest = objectsOf(json['rest']).find(({ mode }) => mode === 'server') ?? {};
  const everywhere = parametersOf(rest);
  const isFiltered = offersFilter(rest);
  const types = objectsOf(rest['resource']).map((one): DeclaredType => {
    const own = parametersOf(one);
    return {
      name: asString(one['type']) ?? '',
      interactions: codesOf(one),
      parameters: [...everywhere.filter(({ name }) => !own.some(other => other.name === name)), ...own],
      includes: stringsOf(one['searchInclude']),
      revincludes: stringsOf(one['searchRevInclude']),
      conditionalRead: asString(one['conditionalRead']) ?? 'not-supported',
      conditionalCreate: one['conditionalCreate'] === true,
      conditionalUpdate: one['conditionalUpdate'] === true,
      conditionalDelete: asString(one['conditionalDelete']) ?? 'not-supported',
      versioning: asString(one['versioning']) ?? '',
      updateCreate: one['updateCreate'] === true,
      operations: operationsOf(one),
      hasFilter: isFiltered || offersFilter(one),
    };
  });
  const software = objectsOf([json['software']])[0] ?? {};
  return {
    fhirVersion: asString(json['fhirVersion']) ?? '',
    software: [software['name'], software['version']].filter(part => typeof part === 'string').join(' '),
    formats: stringsOf(json['format']),
    patchFormats: stringsOf(json['patchFormat']),
    interactions: codesOf(rest),
    types: new Map(types.map(type => [type.name, type])),
    isSmart: /SMART-on-FHIR|oauth-uris/.test(JSON.stringify(rest['security'] ?? '')),
    compartments: new Set(stringsOf(rest['compartment']).map(withoutVersion)),
  };
}

const codesOf = ({ interaction }: JsonObject): ReadonlySet<string> =>
  new Set(objectsOf(interaction).flatMap(({ code }) => asString(code) ?? []));

const withoutVersion = (canonical: string): string => canonical.replace(/\|.*/, '');

const operationsOf = ({ operation }: JsonObject): readonly DeclaredOperation[] =>
  objectsOf(operation).map(({ name, definition }) => ({
    name: (asString(name) ?? '').replace(/^\$/, ''),
    definition: withoutVersion(asString(definition) ?? ''),
  }));

/** Whether `_filter` is a search parameter or in the extension of this server: R4 has no place for it. */
const offersFilter = ({ searchParam, extension }: JsonObject): boolean =>
  objectsOf(searchParam).some(({ name }) => name === '_filter') ||
  objectsOf(extension).some(({ url, valueCode }) => url === `${extensionBase}search-feature` && valueCode === 'filter');

/** What shapes the answer (`_sort`, `_count`) may be declared too, and is no criterion. */
const parametersOf = ({ searchParam }: JsonObject): readonly DeclaredParameter[] =>
  objectsOf(searchParam)
    .map(({ name, type, definition }) => ({
      name: asString(name) ?? '',
      type: asString(type) ?? '',
      definition: asString(definition),
    }))
    .filter(({ name }) => name !== '' && !controls.has(name));

const controls: ReadonlySet<string> = new Set(
  [
    '_sort',
    '_count',
    '_include',
    '_revinclude',
    '_summary',
    '_total',
    '_elements',
    '_contained',
    '_containedType',
  ].concat(['_format', '_pretty', '_explain', '_page_token', '_has', '_filter', '_type', '_score', '_getpages']),
);
