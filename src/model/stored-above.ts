import type { Definitions } from '../definitions/definitions.ts';
import type { Problem } from '../definitions/problem.ts';
import { newestOf } from '../definitions/stored.ts';
import type { StoredDefinition } from '../definitions/definition.ts';
import { asObject, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { buildParameter } from './build-statement.ts';
import { reportTo } from './definition-nodes.ts';
import type { ReportAt } from './definition-nodes.ts';
import type { Model, ResourceType, SearchParam } from './model.ts';
import { controls } from './offered.ts';
import { checkParameterHeads } from './parameter-head.ts';
import { pairsOf } from './resource-type.ts';
import { compileParameter, hasEntries } from './search-parameter.ts';
import { withModified, withModifiers } from './search-modifiers.ts';
import { snapshotsOf } from './snapshot/snapshots.ts';
import { supertypes } from './type-definitions.ts';

/** A model with the definitions that are records of a partition, and what is wrong in those that do not apply. */
export interface ModelAbove {
  readonly model: Model;
  readonly problems: readonly Problem[];
}

/** The most search parameters that a partition can add, and that it can add to a type. */
export const mostStoredParameters = { all: 500, ofType: 50 };

/**
 * Compiles the records of a partition that are definitions, with those of `definitions` below them, above a model. One
 * with a mistake does not apply, and is reported; nothing throws. The types, their interactions and access stay.
 */
export function modelAbove(
  below: Model,
  definitions: Definitions,
  records: readonly StoredDefinition[],
  expansions: Model['expansions'] = below.expansions,
): ModelAbove {
  const problems: Problem[] = [];
  const report = reportTo(problems);
  const snapshot = snapshotsOf(definitions);
  const parameters = storedParameters(below, definitions, records, report);
  const profiles = storedProfiles(below, records);
  const changed = new Map<string, ResourceType>();
  for (const name of new Set([...parameters.keys(), ...profiles.keys(), ...referredTypes(below, parameters)])) {
    const type = below.types.get(name);
    if (type !== undefined) changed.set(name, typeAbove(type, parameters, profiles.get(name) ?? []));
  }
  const types = new Map([...below.types].map(([name, type]) => [name, changed.get(name) ?? type]));
  const model: Model = {
    ...below,
    below,
    types,
    statement: statementAbove(below.statement, changed),
    snapshot,
    expansions,
  };
  return { model: Object.freeze(model), problems };
}

type StoredParameters = ReadonlyMap<string, readonly SearchParam[]>;

/**
 * The parameters that records define, by type: of each url the newest active one.
 * https://hl7.org/fhir/R4/searchparameter.html
 */
function storedParameters(
  below: Model,
  definitions: Definitions,
  records: readonly StoredDefinition[],
  report: ReportAt,
): StoredParameters {
  const active = records.filter(
    ({ resourceType, status }) => resourceType === 'SearchParameter' && status === 'active',
  );
  const found = new Map<string, SearchParam[]>();
  let count = 0;
  for (const definition of [...Map.groupBy(active, ({ url }) => url).values()].flatMap(of => newestOf(of) ?? [])) {
    const json = definition.resource();
    if (!hasEntries(json) && json['type'] !== 'special') continue; // it says nothing of records, and is ignored
    const here = { definition, path: '', json };
    const mistakes: string[] = [];
    const one: ReportAt = (node, path, text) => {
      mistakes.push(text);
      report(node, path, text);
    };
    checkParameterHeads([definition], below.definitions, one);
    const code = String(json['code']);
    if (controls.has(code) || code.startsWith('_'))
      one(here, 'code', `\`${code}\` begins like the parameters that the standard defines; choose another code.`);
    const bases = stringsOf(json['base']);
    const types = [...below.types.values()].filter(
      ({ name, interactions }) =>
        interactions.has('search-type') &&
        [name, ...supertypes(name, below.definitions)].some(of => bases.includes(of)),
    );
    const compiled: SearchParam[] = [];
    for (const type of mistakes.length > 0 ? [] : types) {
      const there = [...type.indexed.values(), ...type.parameters.values(), ...(found.get(type.name) ?? [])].find(
        known => known.code.toLowerCase() === code.toLowerCase(),
      );
      if (there !== undefined) {
        one(
          here,
          'code',
          `${type.name} has the parameter \`${there.code}\` of ${there.url} already; choose another code.`,
        );
        continue;
      }
      const param = tryCompile(() => compileParameter(definition, type.name, definitions, below.definitions, one));
      if (param === undefined) {
        if (mistakes.length === 0) one(here, 'expression', 'The expression cannot be compiled.');
        continue;
      }
      if (param.delegated) one(here, 'expression', unbounded);
      if (param.type === 'special' && param.special === undefined)
        one(here, 'type', 'A parameter of type `special` that is no position cannot be evaluated; use another type.');
      const isHierarchical = (name: string): boolean => below.types.get(name)?.hierarchy !== undefined;
      compiled.push(withModifiers(Object.freeze({ ...param, stored: true as const }), type.modifiers, isHierarchical));
    }
    count += compiled.length;
    const isTooMany = ({ resourceType }: SearchParam): boolean =>
      (found.get(resourceType)?.length ?? 0) >= mostStoredParameters.ofType;
    if (count > mostStoredParameters.all || compiled.some(isTooMany)) one(here, 'base', tooMany);
    if (mistakes.length > 0) continue;
    for (const param of compiled) found.set(param.resourceType, [...(found.get(param.resourceType) ?? []), param]);
  }
  return found;
}

const tooMany =
  `A partition can have ${mostStoredParameters.ofType} search parameters of its own for a type, and ` +
  `${mostStoredParameters.all} in all; delete some first.`;

/** What is compiled takes a time that grows with the record; what fhirpath.js runs may take seconds for each record. */
const unbounded =
  'The expression has forms that are not compiled here, so that its time is not bounded. Use paths, `|`, `where` ' +
  'with comparisons, `ofType`, `as`, `extension`, `exists` and `resolve() is`.';

/** Undefined for an expression that cannot be compiled for a reason of its own, such as its depth. */
function tryCompile(compile: () => SearchParam | undefined): SearchParam | undefined {
  try {
    return compile();
  } catch {
    return undefined;
  }
}

/** The canonicals of profiles of declared types that are records, by type. */
function storedProfiles(below: Model, records: readonly StoredDefinition[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const definition of records) {
    if (definition.resourceType !== 'StructureDefinition' || definition.status === 'retired') continue;
    const { type, derivation, kind } = definition.resource();
    if (derivation !== 'constraint' || kind !== 'resource' || !below.types.has(String(type))) continue;
    const known = found.get(String(type)) ?? [];
    if (!known.includes(definition.url)) found.set(String(type), [...known, definition.url]);
  }
  return found;
}

/** The types to which records can be included by stored parameters. */
const referredTypes = (below: Model, parameters: StoredParameters): readonly string[] =>
  [...parameters.values()]
    .flat()
    .filter(({ type }) => type === 'reference')
    .flatMap(({ targets }) => (targets.length === 0 ? [...below.types.keys()] : targets));

function typeAbove(type: ResourceType, parameters: StoredParameters, profiles: readonly string[]): ResourceType {
  const added = parameters.get(type.name) ?? [];
  const isReference = (param: SearchParam): boolean => param.type === 'reference';
  const includes = added.filter(isReference).map(({ code }) => `${type.name}:${code}`);
  const referring = [...parameters.values()]
    .flat()
    .filter(param => isReference(param) && (param.targets.length === 0 || param.targets.includes(type.name)))
    .map(({ resourceType, code }) => `${resourceType}:${code}`);
  const owners = [...new Map(type.pairs.map(({ owner }) => [owner.code, owner])).values()];
  return Object.freeze({
    ...type,
    parameters: new Map([...type.parameters, ...added.map(param => [param.code, param] as const)]),
    indexed: new Map([...type.indexed, ...added.flatMap(withModified).map(param => [param.code, param] as const)]),
    includes: {
      forward: new Set([...type.includes.forward, ...includes]),
      reverse: new Set([...type.includes.reverse, ...referring]),
    },
    pairs: [...type.pairs, ...pairsOf(owners, added)],
    supportedProfiles: [...new Set([...type.supportedProfiles, ...profiles])],
  });
}

/** The statement with what is added to the types. */
function statementAbove(statement: Model['statement'], changed: ReadonlyMap<string, ResourceType>): Model['statement'] {
  const resourceOf = (resource: JsonObject): JsonObject => {
    const type = changed.get(String(resource['type']));
    if (type === undefined) return resource;
    const searchParam = new Map(objectsOf(resource['searchParam']).map(one => [one['name'], one]));
    for (const param of type.parameters.values())
      if (param.stored === true) searchParam.set(param.code, buildParameter(param, type, []));
    const names: readonly (readonly [string, readonly unknown[]])[] = [
      ['supportedProfile', type.supportedProfiles],
      ['searchInclude', [...type.includes.forward]],
      ['searchRevInclude', [...type.includes.reverse]],
      ['searchParam', [...searchParam.values()]],
    ];
    return { ...resource, ...Object.fromEntries(names.filter(([, values]) => values.length > 0)) };
  };
  const rest = objectsOf(statement['rest']).map(one => ({
    ...one,
    resource: objectsOf(one['resource']).map(resourceOf),
  }));
  return Object.freeze({ ...asObject(statement), rest });
}

/** A model with other descriptions of search parameters that records define, by type and code. */
export function withDescriptions(model: Model, texts: ReadonlyMap<string, ReadonlyMap<string, string>>): Model {
  const changed = new Map<string, ResourceType>();
  for (const [name, ofType] of texts) {
    const type = model.types.get(name);
    if (type === undefined) continue;
    const parameters = new Map(type.parameters);
    for (const [code, description] of ofType) {
      const param = parameters.get(code);
      if (param !== undefined) parameters.set(code, { ...param, description });
    }
    changed.set(name, { ...type, parameters });
  }
  const types = new Map([...model.types].map(([name, type]) => [name, changed.get(name) ?? type]));
  return { ...model, types, statement: statementAbove(model.statement, changed) };
}
