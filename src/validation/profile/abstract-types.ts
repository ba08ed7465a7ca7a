import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import { supertypes } from '../../model/type-definitions.ts';

/**
 * The abstract types of a FHIR type, nearest first: those of R4, and those that later releases introduced, which
 * extensions for R4 use in their contexts. https://hl7.org/fhir/R5/types.html
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
      return supertypes(definition.name, types).includes('BackboneElement')
        ? ['BackboneType', 'DataType']
        : ['DataType'];
    default:
      return definition.kind satisfies never;
  }
}

/**
 * R4 has no type for canonical resources, which have a publication status and a context of use; one of R4 (for naming
 * systems) has no url yet. https://hl7.org/fhir/R4/resource.html#canonical
 */
const isCanonical = ({ elements }: TypeDefinition): boolean =>
  elements.has('useContext') &&
  elements.get('status')?.binding?.valueSet.replace(/\|.*/, '') === 'http://hl7.org/fhir/ValueSet/publication-status';
