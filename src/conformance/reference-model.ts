import { fileURLToPath } from 'node:url';
import { definitionOf } from '../definitions/definition.ts';
import { indexDefinitions } from '../definitions/definitions.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { packFile, readPack } from '../definitions/pack.ts';
import { stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { compileModel } from '../model/compile.ts';
import type { TypeDefinitions } from '../model/element.ts';
import { extensionBase } from '../model/extension-shapes.ts';
import type { Model } from '../model/model.ts';
import { baseTypes, supertypes } from '../model/type-definitions.ts';
import type { DeclaredParameter, DeclaredType, Statement } from './statement.ts';

/** The meaning of a server's interface, as R4 and the server's own definitions give it. */
export interface ReferenceModel {
  /** The declared types with those parameters whose definition is known. */
  readonly model: Model;
  /** Canonicals that the server declares and that are neither of R4 nor read from it. */
  readonly unknown: readonly string[];
}

/** Canonicals of search parameters that are not those of R4, without their versions. */
export function foreignParameters(statement: Statement): readonly string[] {
  const { definitions } = loadCore();
  const urls = [...statement.types.values()].flatMap(({ parameters }) => parameters.flatMap(one => urlOf(one) ?? []));
  return [...new Set(urls)].filter(url => definitions.find('SearchParameter', url) === undefined);
}

/**
 * Compiles what a server declares with the definitions of R4 that are part of this package, and with its own
 * SearchParameters. Parameters that cannot be compiled are left out. Every modifier, chain and include is accepted:
 * whether a server offers them is asked of the server.
 */
export function compileReference(statement: Statement, own: readonly JsonObject[]): ReferenceModel {
  const core = loadCore();
  const place = { file: 'server', package: 'server' };
  const found = own.map((resource, at) => definitionOf(resource, { ...place, path: `entry[${at}].resource` }));
  const { definitions } = found.length === 0 ? core : indexDefinitions([...core.pack, ...found]);
  const types = baseTypes(definitions);
  const resource = [...statement.types.values()]
    .filter(({ name }) => types.resourceTypes.has(name))
    .map(type => declaredFor(type, definitions, types));
  const json = {
    resourceType: 'CapabilityStatement',
    status: 'active',
    kind: 'capability',
    fhirVersion: '4.0.1',
    format: ['json'],
    rest: [{ mode: 'server', extension: features, resource }],
  };
  const declared = definitionOf(json, { file: 'metadata', path: '', package: undefined });
  const { model } = compileModel([declared], definitions, types, [], new Map());
  const unknown = foreignParameters(statement).filter(url => definitions.find('SearchParameter', url) === undefined);
  return { model, unknown };
}

const features = [
  ...['chain', 'has'].map(valueCode => ({ url: `${extensionBase}search-feature`, valueCode })),
  ...['text', 'ofType', 'in', 'not-in', 'type', 'identifier', 'above', 'below'].map(valueCode => ({
    url: `${extensionBase}search-modifier`,
    valueCode,
  })),
];

function declaredFor({ name, parameters }: DeclaredType, definitions: Definitions, types: TypeDefinitions): JsonObject {
  const bases = [name, ...supertypes(name, types)];
  const searchParam = parameters.flatMap(parameter => {
    const definition = canonicalOf(parameter, bases, definitions);
    return definition === undefined ? [] : [{ name: parameter.name, definition, type: parameter.type }];
  });
  return {
    type: name,
    interaction: [{ code: 'read' }, { code: 'search-type' }],
    ...(searchParam.length === 0 ? {} : { searchParam }),
  };
}

/** The definition of a parameter; without a canonical that of R4 with its code. */
function canonicalOf(parameter: DeclaredParameter, bases: readonly string[], definitions: Definitions) {
  const url = urlOf(parameter);
  const candidates = definitions
    .all('SearchParameter')
    .filter(one => (url === undefined ? one.core && one.parameter?.code === parameter.name : one.url === url));
  return candidates.find(one => {
    const { code, base, type } = one.resource();
    return code === parameter.name && type === parameter.type && stringsOf(base).some(name => bases.includes(name));
  })?.url;
}

const urlOf = ({ definition }: DeclaredParameter): string | undefined => definition?.replace(/\|.*/, '');

interface Core {
  readonly pack: ReturnType<typeof readPack>['definitions'];
  readonly definitions: Definitions;
}

let core: Core | undefined;

/** The definitions of R4 that come with the code; no other folder is read. */
function loadCore(): Core {
  if (core === undefined) {
    const pack = readPack(fileURLToPath(new URL(`../../profiles/${packFile}`, import.meta.url)), packFile).definitions;
    core = { pack, definitions: indexDefinitions(pack).definitions };
  }
  return core;
}
