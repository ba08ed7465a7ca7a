import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { checkPackages } from '../definitions/check.ts';
import type { Definition } from '../definitions/definition.ts';
import { definitionOf, within } from '../definitions/definition.ts';
import { indexDefinitions } from '../definitions/definitions.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { cacheFolders, openDiskCache } from '../definitions/disk-cache.ts';
import type { DiskCache } from '../definitions/disk-cache.ts';
import { asObject } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { printProblem } from '../definitions/problem.ts';
import type { Problem } from '../definitions/problem.ts';
import { parseFiles, readSources } from '../definitions/source.ts';
import type { DefinitionFile, FoundDefinitions } from '../definitions/source.ts';
import { declareAll } from '../guide/declare-all.ts';
import { readTemplate, templateFile } from '../guide/template.ts';
import { operations } from '../interaction/operation/implemented.ts';
import { compileModel } from '../model/compile.ts';
import type { TypeDefinitions } from '../model/element.ts';
import type { Model } from '../model/model.ts';
import { baseTypes } from '../model/type-definitions.ts';
import { queryProblems } from '../search/check-queries.ts';
import { checkProfiles } from '../validation/definition/check-profiles.ts';
import { checkStructure } from '../validation/structure.ts';

export type { Problem } from '../definitions/problem.ts';

/** Definitions as they were read: with the R4 pack of the program, all that determines the interface. */
export interface DefinitionSet {
  /** `r4` replaces the shipped folder `capability` by what declareAll makes. */
  readonly interface: Config['interface'];
  readonly files: readonly DefinitionFile[];
}

export interface LoadedModel {
  /** Undefined if there are problems. */
  readonly model: Model | undefined;
  /** The source definitions of the model. */
  readonly definitions: Definitions;
  /** All problems that prevent the start, in the order of the files. */
  readonly problems: readonly Problem[];
  /** References of packages to definitions that are not loaded, one line each. */
  readonly warnings: readonly string[];
  /** Replaced definitions, types without a scope: one line each. */
  readonly notices: readonly string[];
  /** What was read. */
  readonly set: DefinitionSet;
}

/** The places of definitions: the settings of a server or of a command have them. */
export interface DefinitionPlaces {
  readonly definitions: readonly string[];
  readonly interface?: Config['interface'] | undefined;
  readonly capability?: string | undefined;
  readonly root?: string | undefined;
  /**
   * Folders; the first that belongs to this user caches unpacked packages; those of the checkout if undefined.
   */
  readonly cache?: readonly string[] | undefined;
}

/**
 * Reads the definitions of the three shipped folders (`root` is their checkout), of `--definitions` folders and
 * packages, with `capability` instead of the shipped folder of that name, checks them against the base definitions, and
 * compiles them to a model.
 */
export async function loadModel(places: DefinitionPlaces): Promise<LoadedModel> {
  const name = places.interface ?? 'shipped';
  const { files, ...found } = await readSources({
    definitions: places.definitions,
    capability: name === 'r4' ? false : places.capability,
    ...programPlaces(places),
  });
  return compileFound(found, { interface: name, files }, places.capability);
}

/** Like loadModel, for definitions that were read before. */
export async function loadSet(
  set: DefinitionSet,
  places: Pick<DefinitionPlaces, 'root' | 'cache'> = {},
): Promise<LoadedModel> {
  return compileFound(await parseFiles(set.files, programPlaces(places)), set);
}

function programPlaces({ root = checkout, cache }: Pick<DefinitionPlaces, 'root' | 'cache'>): {
  readonly root: string;
  readonly cache: DiskCache | undefined;
} {
  return { root, cache: openDiskCache(cache ?? cacheFolders(root, 'definitions')) };
}

const checkout = fileURLToPath(new URL('../..', import.meta.url));

function compileFound(found: FoundDefinitions, set: DefinitionSet, capability = 'capability'): LoadedModel {
  const { definitions, problems, notices } = indexDefinitions(found.definitions);
  const types = baseTypes(definitions);
  const all = set.interface === 'r4' ? [allOfR4(definitions, types)] : [];
  const statements = [...all, ...found.statements];
  const digests = [...found.digests, ...all.map(digestOf)];
  const compiled = compileModel(statements, definitions, types, digests, operations);
  const plain = [...statements, ...found.definitions].filter(({ core, package: from }) => !core && from === undefined);
  const checked = checkProfiles(definitions, compiled.model);
  const queries = compiled.problems.length === 0 ? queryProblems(compiled.model) : [];
  const nothing: Problem = {
    file: capability,
    path: '',
    text: 'No CapabilityStatement here declares a resource type, so there is nothing to serve.',
  };
  const shape = plain
    .flatMap(one => misshapen(one, types))
    .filter(one => !compiled.problems.some(other => samePlace(one, other)));
  const empty = compiled.model.types.size === 0 && compiled.problems.length === 0 && found.problems.length === 0;
  const refused = [
    ...(empty ? [nothing] : []),
    ...found.problems,
    ...problems,
    ...shape,
    ...compiled.problems,
    ...queries,
    ...checked.problems,
  ];
  return {
    model: refused.length === 0 ? compiled.model : undefined,
    definitions,
    problems: inOrder(refused),
    warnings: [...checkPackages(found.packages, definitions), ...checked.warnings],
    notices: [...notices, ...compiled.notices],
    set,
  };
}

/** A model without problems, with its source definitions and the lines for the operator. */
export interface UsableModel {
  readonly model: Model;
  readonly definitions: Definitions;
  readonly notices: readonly string[];
  readonly warnings: readonly string[];
  readonly set: DefinitionSet;
}

/** Like loadModel, for callers that need a model: throws one Error with a line for each problem. */
export async function requireModel(places: DefinitionPlaces): Promise<UsableModel> {
  return usable(await loadModel(places));
}

/** A loaded model without problems; throws one Error with a line for each. */
export function usable({ model, definitions, problems, notices, warnings, set }: LoadedModel): UsableModel {
  if (model !== undefined) return { model, definitions, notices: [...notices, ...warnings], warnings, set };
  throw new Error([...problems.map(printProblem), 'The definitions do not load.'].join('\n'));
}

/** The statement of the interface `r4`, as if it were read from a file. */
const allOfR4 = (definitions: Definitions, types: TypeDefinitions): Definition =>
  definitionOf(declareAll(readTemplate(), definitions, types, operations), {
    file: templateFile,
    path: '',
    package: undefined,
  });

const digestOf = (definition: Definition): string => hash('sha256', JSON.stringify(definition.resource()));

/** The structural errors of a definition in a single file: a misspelt element would be ignored silently. */
function misshapen(definition: Definition, definitions: TypeDefinitions): readonly Problem[] {
  const resource = definition.resource();
  return checkStructure(resource, { definitions }, definition.resourceType).map(({ text, expression = '' }) => ({
    file: definition.file,
    path: within(definition, jsonPath(resource, expression)),
    text,
  }));
}

const samePlace = (a: Problem, b: Problem): boolean => a.file === b.file && a.path === b.path;

/** The JSON path of a FHIRPath from the root: `CapabilityStatement.x.value` → `x.valueCode`. */
function jsonPath(resource: JsonObject, fhirPath: string): string {
  let value: unknown = resource;
  const names = fhirPath.split('.').slice(1);
  return names
    .map(step => {
      const [, name = step, index] = /^(.*?)(?:\[(\d+)\])?$/.exec(step) ?? [];
      const at = asObject(value);
      const key =
        Object.keys(at).find(known => known === name) ?? Object.keys(at).find(known => isChoice(known, name)) ?? name;
      value = index === undefined ? at[key] : Array.isArray(at[key]) ? at[key][Number(index)] : undefined;
      return index === undefined ? key : `${key}[${index}]`;
    })
    .join('.');
}

const isChoice = (key: string, name: string): boolean => key.startsWith(name) && /^[A-Z]/.test(key.slice(name.length));

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const distinct = new Map(problems.map(problem => [JSON.stringify(problem), problem]));
  return [...distinct.values()].sort((a, b) => (a.file === b.file ? 0 : a.file < b.file ? -1 : 1));
}
