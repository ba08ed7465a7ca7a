import { within } from '../../definitions/definition.ts';
import type { Definition } from '../../definitions/definition.ts';
import type { Problem } from '../../definitions/problem.ts';
import { asObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Terminology } from '../profile/terminology.ts';
import { checkStructure } from '../structure.ts';
import { checkRequiredCodes } from './required-codes.ts';

/**
 * The mistakes of a definition in a single file as a resource of R4: a misspelt element or code would be ignored
 * silently, and a definition of another release means something else.
 */
export function checkFile(
  definition: Definition,
  types: TypeDefinitions,
  terminology: Pick<Terminology, 'containsHere' | 'examples'>,
): readonly Problem[] {
  const { file, resourceType } = definition;
  const resource = definition.resource();
  const release = otherRelease(resource);
  // Elements that R4 lacks follow from the release.
  if (release !== undefined) return [{ file, path: within(definition, 'fhirVersion'), text: release }];
  return [
    ...checkStructure(resource, { definitions: types }, resourceType),
    ...checkRequiredCodes(resource, resourceType, types, terminology),
  ].map(({ text, expression = '' }) => ({ file, path: within(definition, jsonPath(resource, expression)), text }));
}

/** https://hl7.org/fhir/R4/structuredefinition-definitions.html#StructureDefinition.fhirVersion */
function otherRelease({ resourceType, fhirVersion }: JsonObject): string | undefined {
  const releases = [fhirVersion].flat().filter(release => typeof release === 'string');
  if (releases.length === 0 || releases.some(release => release.startsWith('4.0'))) return undefined;
  return `The ${String(resourceType)} is for FHIR ${releases.join(', ')}; this server is FHIR R4 (4.0.1).`;
}

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
