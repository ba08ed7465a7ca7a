import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { checkPackages } from '../../definitions/check.ts';
import { definitionOf, isView } from '../../definitions/definition.ts';
import type { Definition } from '../../definitions/definition.ts';
import { indexDefinitions } from '../../definitions/definitions.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import { cacheFolders, openDiskCache } from '../../definitions/disk-cache.ts';
import type { DiskCache } from '../../definitions/disk-cache.ts';
import { printProblem } from '../../definitions/problem.ts';
import type { Problem } from '../../definitions/problem.ts';
import { parseFiles } from '../../definitions/source.ts';
import type { DefinitionSet, FoundDefinitions } from '../../definitions/source.ts';
import type { XmlTypes } from '../../fhir/xml/layout.ts';
import { declareAll } from '../../guide/declare-all.ts';
import { readTemplate, templateFile } from '../../guide/template.ts';
import { operations } from '../../model/implemented.ts';
import { versionOf } from '../../model/capability-statement.ts';
import { compileModel } from '../../model/compile.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Model } from '../../model/model.ts';
import { suspicious } from '../../model/suspicious.ts';
import { baseTypes, coreTypes } from '../../model/type-definitions.ts';
import { queryProblems } from '../../search/check-queries.ts';
import type { DefinitionSets } from '../../store/server/definition-sets.ts';
import { checkFile } from '../../validation/definition/check-file.ts';
import { checkProfiles } from '../../validation/definition/check-profiles.ts';
import { checkTerminology } from '../../validation/definition/check-terminology.ts';
import { terminologyOf } from '../../terminology/loaded.ts';
import { checkViews } from '../../views/views.ts';

export interface LoadedModel {
  /** Undefined if there are problems. */
  readonly model: Model | undefined;
  /** The source definitions of the model. */
  readonly definitions: Definitions;
  /** All problems that prevent the start: files that cannot be read, then others, each in the order of the files. */
  readonly problems: readonly Problem[];
  /** References to definitions that are not loaded, and what the author of a file hardly meant: one line each. */
  readonly warnings: readonly string[];
  /** Replaced definitions, types without a scope: one line each. */
  readonly notices: readonly string[];
  /** What was read. */
  readonly set: DefinitionSet;
}

/** A model without problems, with its source definitions and the lines for the operator. */
export interface UsableModel {
  readonly model: Model;
  readonly definitions: Definitions;
  readonly notices: readonly string[];
  readonly warnings: readonly string[];
  readonly set: DefinitionSet;
}

/** Compiles definitions that were read before, as loadModel does. */
async function loadSet(set: DefinitionSet, places: ProgramPlaces = {}): Promise<LoadedModel> {
  return compileFound(await parseFiles(set.files, programPlaces(places)), set);
}

interface ProgramPlaces {
  readonly root?: string | undefined;
  readonly cache?: readonly string[] | undefined;
}

/** Where the program has its definitions, and its cache, with the types of R4. */
export function programPlaces({ root = checkout, cache }: ProgramPlaces): {
  readonly root: string;
  readonly cache: DiskCache | undefined;
  readonly types: XmlTypes;
} {
  return { root, cache: openDiskCache(cache ?? cacheFolders(root, 'definitions')), types: coreTypes };
}

/** The folder of the program. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url));

/** Checks and compiles definitions that were read. */
export function compileFound(found: FoundDefinitions, set: DefinitionSet, capability = 'capability'): LoadedModel {
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
  const { bindings: terminology } = terminologyOf(definitions);
  const mistakes = plain
    .flatMap(one => (isView(one) ? [] : checkFile(one, types, terminology)))
    .filter(one => !compiled.problems.some(other => samePlace(one, other)));
  const views = checkViews(definitions, types);
  const sets = checkTerminology(definitions, terminology);
  const empty = compiled.model.types.size === 0 && compiled.problems.length === 0 && found.problems.length === 0;
  const refused = [
    ...(empty ? [nothing] : []),
    ...found.problems,
    ...problems,
    ...mistakes,
    ...compiled.problems,
    ...queries,
    ...checked.problems,
    ...sets.problems,
    ...views.problems,
  ];
  return {
    model: refused.length === 0 ? compiled.model : undefined,
    definitions,
    problems: withLines(
      [...inOrder(found.problems), ...inOrder(refused.filter(one => !found.problems.includes(one)))],
      found,
    ),
    warnings: [
      ...found.warnings,
      ...checkPackages(found.packages, definitions),
      ...checked.warnings,
      ...sets.warnings,
      ...views.warnings,
      ...suspicious(found.statements, definitions, compiled.model),
    ],
    notices: [...notices, ...compiled.notices],
    set,
  };
}

/** The problems, those of files in XML with their line. */
const withLines = (problems: readonly Problem[], { lines }: FoundDefinitions): readonly Problem[] =>
  problems.map(problem => {
    const lineOf = lines.get(problem.file);
    const line = lineOf?.(problem.path) ?? lineOf?.('');
    return line === undefined ? problem : { ...problem, text: `${problem.text} Line ${line}.` };
  });

/** A loaded model without problems; throws one Error with a line for each. */
export function usable({ model, definitions, problems, notices, warnings, set }: LoadedModel): UsableModel {
  if (model !== undefined) return { model, definitions, notices: [...notices, ...warnings], warnings, set };
  throw new Error([...problems.map(printProblem), 'The definitions do not load.'].join('\n'));
}

/** The model of a stored set. Throws Error if it is no longer stored, or if this program makes another model of it. */
export async function loadStored(sets: DefinitionSets, digest: string): Promise<UsableModel> {
  const set = await sets.read(digest);
  if (set === undefined) throw new Error(`The set of version ${versionOf(digest)} is not completely stored.`);
  const loaded = usable(await loadSet(set));
  if (loaded.model.digest === digest) return loaded;
  throw new Error(
    `The set of version ${versionOf(digest)} was stored by another version of this program, ` +
      'which reads it differently.',
  );
}

/** The statement of the interface `r4`, as if it were read from a file. */
const allOfR4 = (definitions: Definitions, types: TypeDefinitions): Definition =>
  definitionOf(declareAll(readTemplate(), definitions, types, operations), {
    file: templateFile,
    path: '',
    package: undefined,
  });

const digestOf = (definition: Definition): string => hash('sha256', JSON.stringify(definition.resource()));

const samePlace = (a: Problem, b: Problem): boolean => a.file === b.file && a.path === b.path;

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const distinct = new Map(problems.map(problem => [JSON.stringify(problem), problem]));
  return [...distinct.values()].sort((a, b) => (a.file === b.file ? 0 : a.file < b.file ? -1 : 1));
}
