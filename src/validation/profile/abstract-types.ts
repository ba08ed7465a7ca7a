import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import { supertypes } from '../../model/type-definitions.ts';

/**
 * The abstract types of FHIR that a type belongs to, nearest first: those that R4 defines, and those that later releases
 * named, by which extensions for R4 say where they may stand. https://hl7.org/fhir/R5/types.html
 */
export function abstractTypes(name: string, types: TypeDefinitions): readonly string[] {
  const definition = types.get(name);
  return [...supertypes(name, types), ...(definition === undefined ? [] : laterTypes(definition, types)), 'Base'];
}

function laterTypes(definition: TypeDefinition, types: TypeDefinitions): readonly string[] {
  switch (definition.kind) {
    case 'resource':
      return isCanonical(definition) ? ['CanonicalResource', 'MetadataResource'] : [];
    case 'primitive-type':
      return ['PrimitiveType', 'DataType'];
    case 'complex-type':
      if (definition.abstract) return []; // an element within a type
      return supertypes(definition.name, types).includes('BackboneElement') ? ['BackboneType', 'DataType'] : ['DataType']; // prettier-ignore
    default:
      return definition.kind satisfies never;
  }
}

/**
 * R4 has no type for what is published under a canonical url. Such resources have a publication status and a context of use;
 * one of R4 (for naming systems) has no url yet. https://hl7.org/fhir/R4/resource.html#canonical
 */
const isCanonical = ({ elements }: TypeDefinition): boolean =>
  elements.has('useContext') &&
  elements.get('status')?.binding?.valueSet.replace(/\|.*/, '') === 'http://hl7.org/fhir/ValueSet/publication-status';
