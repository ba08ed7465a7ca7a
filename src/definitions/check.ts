import type { Definition } from './definition.ts';
import type { Definitions } from './definitions.ts';
import { asObject, asString, objectsOf, stringsOf } from './json-object.ts';
import type { JsonObject } from './json-object.ts';
import type { Package } from './package.ts';

/**
 * What packages name and nobody has: packages, value sets of required and extensible bindings, extensions. One line a
 * package that misses something; what cannot be checked against is passed over by validation. What belongs to R4 itself
 * counts as there. https://hl7.org/fhir/R4/profiling.html
 */
export function checkPackages(packages: readonly Package[], definitions: Definitions): readonly string[] {
  const names = new Set(packages.map(({ name }) => name.replace(/@.*/, '')));
  return packages.flatMap(({ name, dependencies, definitions: held }) => {
    const named = held.filter(({ resourceType }) => resourceType === 'StructureDefinition').map(namedIn);
    const here = (resourceType: string, canonical: string): boolean =>
      ofR4.test(canonical) || definitions.find(resourceType, canonical) !== undefined;
    const missing = [
      several(
        dependencies.filter(needed => !names.has(needed) && !/^hl7\.fhir\.r4\.|^hl7\.terminology/.test(needed)),
        'package',
      ),
      several(
        named.flatMap(({ valueSets }) => valueSets).filter(canonical => !here('ValueSet', canonical)),
        'value set',
      ),
      several(
        named.flatMap(({ extensions }) => extensions).filter(canonical => !here('StructureDefinition', canonical)),
        'extension',
      ),
    ].filter(text => text !== undefined);
    return missing.length === 0 ? [] : [`${name} names what is not here: ${missing.join('; ')}.`];
  });
}

const ofR4 = /^http:\/\/(hl7\.org\/fhir|terminology\.hl7\.org)\/(ValueSet|StructureDefinition)\//;

function namedIn(definition: Definition): {
  readonly valueSets: readonly string[];
  readonly extensions: readonly string[];
} {
  const { snapshot, differential } = definition.resource();
  const elements = objectsOf(asObject(snapshot ?? differential)['element']);
  return {
    valueSets: elements.flatMap(element => valueSetOf(asObject(element['binding'])) ?? []),
    extensions: elements
      .flatMap(element => objectsOf(element['type']))
      .filter(({ code }) => code === 'Extension')
      .flatMap(type => stringsOf(type['profile'])),
  };
}

const valueSetOf = ({ strength, valueSet }: JsonObject): string | undefined =>
  strength === 'required' || strength === 'extensible' ? asString(valueSet) : undefined;

/** `2 extensions (a, b)`; at most three are named. */
function several(found: readonly string[], noun: string): string | undefined {
  const distinct = [...new Set(found)].sort((a, b) => (a < b ? -1 : 1));
  if (distinct.length === 0) return undefined;
  const more = distinct.length > 3 ? ', …' : '';
  return `${distinct.length} ${noun}${distinct.length === 1 ? '' : 's'} (${distinct.slice(0, 3).join(', ')}${more})`;
}
