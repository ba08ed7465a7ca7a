import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** A search parameter as a server declares it. */
export interface DeclaredParameter {
  readonly name: string;
  readonly type: string;
  readonly definition: string | undefined;
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
}

/** The interface of a server. */
export interface Statement {
  readonly fhirVersion: string;
  readonly software: string;
  readonly formats: readonly string[];
  readonly interactions: ReadonlySet<string>;
  readonly types: ReadonlyMap<string, DeclaredType>;
  readonly isSmart: boolean;
}

/**
 * Reads the part of a CapabilityStatement that is tested. https://hl7.org/fhir/R4/capabilitystatement.html
 */
export function readStatement(json: JsonObject): Statement {
  const rest = objectsOf(json['rest']).find(({ mode }) => mode === 'server') ?? {};
  const everywhere = parametersOf(rest);
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
    };
  });
  const software = objectsOf([json['software']])[0] ?? {};
  return {
    fhirVersion: asString(json['fhirVersion']) ?? '',
    software: [software['name'], software['version']].filter(part => typeof part === 'string').join(' '),
    formats: stringsOf(json['format']),
    interactions: codesOf(rest),
    types: new Map(types.map(type => [type.name, type])),
    isSmart: /SMART-on-FHIR|oauth-uris/.test(JSON.stringify(rest['security'] ?? '')),
  };
}

const codesOf = ({ interaction }: JsonObject): ReadonlySet<string> =>
  new Set(objectsOf(interaction).flatMap(({ code }) => asString(code) ?? []));

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
