import { hash } from 'node:crypto';
import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { Problem } from '../definitions/problem.ts';
import { systemInteractions } from '../fhir/interaction.ts';
import { terminologyOf } from '../terminology/loaded.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { buildStatement } from './build-statement.ts';
import { compileCompartments, linkedCompartmentsOf, searchedCompartmentsOf } from './compartments.ts';
import { items, readDeclared, reportTo } from './definition-nodes.ts';
import type { Declared, ReportAt } from './definition-nodes.ts';
import { checkStatementPromises } from './deliverable.ts';
import type { TypeDefinitions } from './element.ts';
import { checkExtensions } from './extensions.ts';
import { checkGuides } from './global-profiles.ts';
import { createHierarchies } from './hierarchy.ts';
import type { Model, ResourceType } from './model.ts';
import { declaredInteractions } from './interactions.ts';
import { compileOperations } from './operations.ts';
import type { ImplementedOperations } from './implemented-operation.ts';
import { compileResourceType } from './resource-type.ts';
import { cliniciansOf } from './clinicians.ts';
import { checkIncludes, explainScopesOf } from './search-features.ts';
import { checkParameterHeads } from './parameter-head.ts';
import { checkMembers } from './special.ts';
import { indexVersion, revision } from './search-parameter.ts';
import { createParameterCompiler } from './search-parameters.ts';
import { snapshotsOf } from './snapshot/snapshots.ts';
import { valueSetSystem } from './token-meaning.ts';

/** Reports profiles in single files without `derivation: constraint`. */
function checkDerivations(files: readonly Definition[], report: ReportAt): void {
  for (const definition of files) {
    if (definition.resourceType !== 'StructureDefinition' || definition.misderived !== true) continue;
    const json = definition.resource();
    report({ definition, path: '', json }, 'derivation', `${problemOf(json)} Write \`constraint\`.`);
  }
}

/** One line for each such profile in a package, which counts as a constraint. */
const misderivedInPackages = (definitions: Definitions): readonly string[] =>
  definitions
    .all('StructureDefinition')
    .filter(definition => definition.misderived === true && definition.package !== undefined)
    .map(definition => `${definition.file}: ${problemOf(definition.resource())} It counts as a constraint.`);

const problemOf = ({ url, type, derivation }: JsonObject): string =>
  `\`${String(url)}\` is a profile of ${String(type)}, but ` +
  `${derivation === undefined ? 'has no `derivation`' : `its \`derivation\` is ${JSON.stringify(derivation)}`}.`;

export interface Compiled {
  /** Complete only without problems. */
  readonly model: Model;
  readonly problems: readonly Problem[];
  /** Notices for the operator that do not prevent the start, one line each. */
  readonly notices: readonly string[];
}

/**
 * Compiles the declarations of the CapabilityStatements, with the definitions that they name, to a frozen model.
 * Reports all problems together. `digests` are those of the files that were read, `operations` the implemented ones.
 * https://hl7.org/fhir/R4/capabilitystatement.html
 */
export function compileModel(
  statements: readonly Definition[],
  definitions: Definitions,
  types: TypeDefinitions,
  digests: readonly string[],
  operations: ImplementedOperations,
): Compiled {
  const problems: Problem[] = [];
  const report = reportTo(problems);
  const declared = readDeclared(statements);
  for (const definition of [...statements, ...plainFiles(definitions)]) {
    const json = definition.resource();
    checkExtensions(json, (path, text) => report({ definition, path: '', json }, path, text));
  }
  checkStatements(declared, report);
  checkParameterHeads(
    plainFiles(definitions).filter(({ resourceType }) => resourceType === 'SearchParameter'),
    types,
    report,
  );
  const compartments = compileCompartments(definitions);
  const searchedCompartments = searchedCompartmentsOf(declared, compartments, report);
  const linkedCompartments = linkedCompartmentsOf(declared, {
    definitions,
    operations,
    compartments,
    searchedCompartments,
    report,
  });
  const snapshots = snapshotsOf(definitions);
  const parameters = createParameterCompiler(definitions, types, report);
  const hierarchies = createHierarchies(declared, parameters);
  const compiled = [...declared.types].flatMap(([name, nodes]) => {
    return (
      compileResourceType(name, nodes, {
        declared,
        definitions,
        types,
        compartments,
        searchedCompartments,
        linkedCompartments,
        parameters,
        hierarchies,
        operations,
        report,
      }) ?? []
    );
  });
  const systemOperations = compileOperations(undefined, declared.rests, { definitions, types, report, operations });
  const byName = new Map(compiled.map(type => [type.name, type]));
  checkIncludes(declared.types, byName, report);
  checkMembers(declared.types, byName, report);
  checkDerivations(plainFiles(definitions), report);
  checkGuides(plainFiles(definitions), types, snapshots, report);
  const interactions = declaredInteractions(declared.rests, systemInteractions, 'the whole system', report);
  const explainScopes = explainScopesOf(declared);
  const model: Model = {
    digest: hash('sha256', JSON.stringify([indexVersion, revision, digests])),
    types: new Map(compiled.sort((a, b) => (a.name < b.name ? -1 : 1)).map(type => [type.name, type])),
    systemInteractions: interactions,
    systemOperations,
    compartments,
    searchedCompartments,
    explainScopes,
    clinicians: cliniciansOf(declared, types, report),
    definitions: types,
    statement: Object.freeze(
      buildStatement(
        declared,
        compiled,
        { interactions, systemOperations, searchedCompartments, explainScopes },
        definitions,
      ),
    ),
    caseSensitive: caseSensitivity(definitions),
    snapshot: snapshots,
    expansions: terminologyOf(definitions).expansions,
    valueSetSystem: kept(valueSet => valueSetSystem(definitions.find('ValueSet', valueSet)?.resource() ?? {})),
  };
  return {
    model: Object.freeze(model),
    problems,
    notices: [...noticesOf(declared, compiled), ...misderivedInPackages(definitions)],
  };
}

/** Definitions in single files: those of packages and of R4 have no extensions of ours that affect access. */
const plainFiles = (definitions: Definitions): readonly Definition[] =>
  [
    'CompartmentDefinition',
    'ImplementationGuide',
    'OperationDefinition',
    'SearchParameter',
    'StructureDefinition',
    'ValueSet',
    'CodeSystem',
  ]
    .flatMap(resourceType => definitions.all(resourceType))
    .filter(definition => !definition.core && definition.package === undefined);

/** Checks the parts of statements outside of their resource types. */
function checkStatements({ statements, rests, types }: Declared, report: ReportAt): void {
  const isPatched = [...types.values()].some(nodes =>
    items(nodes, 'interaction').some(({ json }) => json['code'] === 'patch'),
  );
  for (const statement of statements) checkStatementPromises(statement, isPatched, report);
  for (const rest of rests) {
    if (rest.json['security'] !== undefined)
      report(rest, 'security', '`security` is not written by hand; it is made from the access configuration.');
  }
}

/** https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.caseSensitive */
function caseSensitivity(definitions: Definitions): (system: string) => boolean {
  const known = new Set(definitions.all('CodeSystem').map(({ url }) => url));
  const look = kept(system => definitions.find('CodeSystem', system)?.resource()['caseSensitive'] === true);
  return system => known.has(system) && look(system); // systems that clients send are not cached
}

/** Caches the results of a lookup by key. */
function kept<Value>(look: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>();
  return key => {
    if (!values.has(key)) values.set(key, look(key));
    return values.get(key) as Value; // set above
  };
}

const noticesOf = ({ requirements, withoutServer }: Declared, types: readonly ResourceType[]): readonly string[] => [
  ...requirements.map(({ definition }) => `${definition.file} is of kind requirements and therefore declares nothing.`),
  ...withoutServer.map(
    ({ definition }) => `${definition.file} has no \`rest\` with the mode \`server\` and therefore declares nothing.`,
  ),
  ...types
    .filter(({ smartScopes }) => smartScopes.length === 0)
    .filter(needsScope)
    .map(({ name }) => `${name} has no smart-scope, so no token can grant access to it.`),
];

/** False for a type that has nothing but operations that a valid token is enough for. */
const needsScope = ({ interactions, operations }: ResourceType): boolean =>
  interactions.size > 0 ||
  operations.size === 0 ||
  [...operations.values()].some(({ levels }) => Object.values(levels).some(({ scopes }) => scopes !== 'any'));
