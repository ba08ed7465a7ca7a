import { within } from '../../definitions/definition.ts';
import type { Definition } from '../../definitions/definition.ts';
import type { Problem } from '../../definitions/problem.ts';
import { asObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Terminology } from '../../terminology/bindings.ts';
import { checkStructure } from '../structure.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { Report, shorten } from '../report.ts';
import { walk } from '../walk.ts';
import type { VisitedValue } from '../walk.ts';

/**
 * The codes of a definition that R4 does not know: with a misspelt `strength` or `severity`, a binding or a constraint
 * would never be checked. `typeName` is the type of the definition. Codes that the loaded value sets leave undecided
 * are not reported. https://hl7.org/fhir/R4/terminologies.html#required
 */
function checkRequiredCodes(
  resource: JsonObject,
  typeName: string,
  types: TypeDefinitions,
  terminology: Pick<Terminology, 'containsHere' | 'examples'>,
): readonly Issue[] {
  const report = new Report(50);
  report.path.push(typeName);
  walk(resource, types, report, checkCode);
  return report.issues;

  function checkCode({ value, element, type }: VisitedValue): void {
    const { binding, path } = element;
    if (typeof value !== 'string' || type.code !== 'code' || binding?.strength !== 'required') return;
    const url = binding.valueSet.replace(/\|.*/s, '');
    if (growing.has(url) || (url === compartmentTypes && types.resourceTypes.has(value))) return;
    if (terminology.containsHere(binding.valueSet, value, undefined) !== false) return;
    const known = terminology.examples(binding.valueSet);
    const few = known.length === 0 || known.length > 12 ? '' : ` Write one of ${known.map(quoted).join(', ')}.`;
    report.add('code-invalid', `\`${shorten(value)}\` is not a code of \`${path}\`.${didYouMean(value, known)}${few}`);
  }
}

/** R4 defines compartments of five types; this server has those of any resource type. */
const compartmentTypes = 'http://hl7.org/fhir/ValueSet/compartment-type';

/** ValueSets whose codes of R4 are out of date: of releases (check-file.ts), and of what tools for publishing read. */
const growing: ReadonlySet<string> = new Set(
  ['FHIR-version', 'guide-parameter-code', 'spdx-license'].map(name => `http://hl7.org/fhir/ValueSet/${name}`),
);

const quoted = (code: string): string => `\`${code}\``;

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
