import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { ReportAt } from './definition-nodes.ts';
import type { TypeDefinitions } from './element.ts';
import { extensionBase } from './extension-shapes.ts';
import { textOf } from './extensions.ts';
import type { FindSnapshot } from './snapshot/snapshot.ts';

/**
 * A profile that an ImplementationGuide requires of all resources of a type.
 * https://hl7.org/fhir/R4/implementationguide-definitions.html#ImplementationGuide.global
 */
export interface GlobalProfile {
  /** Canonical url of the guide. */
  readonly guide: string;
  readonly type: string;
  readonly profile: string;
  /** The coded element that selects resources (`Observation.code`); undefined for all of the type. */
  readonly selectedBy: string | undefined;
}

/** The requirements of the loaded guides, of each the selected version. */
export function globalProfiles(definitions: Definitions): readonly GlobalProfile[] {
  const urls = new Set(definitions.all('ImplementationGuide').map(({ url }) => url));
  return [...urls].flatMap(url => globalsOf(definitions.find('ImplementationGuide', url)?.resource() ?? {}));
}

function globalsOf(guide: JsonObject): readonly GlobalProfile[] {
  return objectsOf(guide['global']).map(global => {
    const selection = objectsOf(global['modifierExtension']).find(({ url }) => url === `${extensionBase}selected-by`);
    return {
      guide: asString(guide['url']) ?? '',
      type: asString(global['type']) ?? '',
      profile: asString(global['profile']) ?? '',
      selectedBy: textOf(selection),
    };
  });
}

/** Checks the requirements of guides in single files: the types, profiles and elements that they name must exist. */
export function checkGuides(
  files: readonly Definition[],
  types: TypeDefinitions,
  snapshots: FindSnapshot,
  report: ReportAt,
): void {
  for (const definition of files) {
    if (definition.resourceType !== 'ImplementationGuide') continue;
    const json = definition.resource();
    globalsOf(json).forEach((global, index) => {
      const reportAt = (path: string, text: string): void =>
        report({ definition, path: '', json }, `global[${index}].${path}`, text);
      const { type, profile, selectedBy } = global;
      if (types.get(type)?.kind !== 'resource')
        reportAt('type', `\`${type}\` is not a resource type of FHIR R4.${didYouMean(type, types.resourceTypes)}`);
      else if (snapshots(profile) === undefined) reportAt('profile', `The profile \`${profile}\` is not loaded.`);
      else if (selectedBy !== undefined && !leadsToCodes(selectedBy, type, types))
        reportAt('modifierExtension', `\`${selectedBy}\` is not a coded element of ${type}.`);
    });
  }
}

function leadsToCodes(path: string, type: string, types: TypeDefinitions): boolean {
  const [root = '', ...names] = path.split('.');
  if (root !== type) return false;
  let definition = types.get(root);
  for (const name of names) {
    const found = definition?.properties.get(name)?.type;
    definition = found?.content ?? types.get(found?.code ?? '');
  }
  return definition?.name === 'CodeableConcept' || definition?.name === 'Coding';
}
