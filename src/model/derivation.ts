import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { ReportAt } from './definition-nodes.ts';

/** Reports profiles in single files without `derivation: constraint`. */
export function checkDerivations(files: readonly Definition[], report: ReportAt): void {
  for (const definition of files) {
    if (definition.resourceType !== 'StructureDefinition' || definition.misderived !== true) continue;
    const json = definition.resource();
    report({ definition, path: '', json }, 'derivation', `${problemOf(json)} Write \`constraint\`.`);
  }
}

/** One line for each such profile in a package, which counts as a constraint. */
export const misderivedInPackages = (definitions: Definitions): readonly string[] =>
  definitions
    .all('StructureDefinition')
    .filter(definition => definition.misderived === true && definition.package !== undefined)
    .map(definition => `${definition.file}: ${problemOf(definition.resource())} It counts as a constraint.`);

const problemOf = ({ url, type, derivation }: JsonObject): string =>
  `\`${String(url)}\` is a profile of ${String(type)}, but ` +
  `${derivation === undefined ? 'has no `derivation`' : `its \`derivation\` is ${JSON.stringify(derivation)}`}.`;
