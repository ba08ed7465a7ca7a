import { hash } from 'node:crypto';
import { bareParameter } from './bare-parameter.ts';
import type { TypeDefinition } from './element.ts';
import type { SearchParam } from './model.ts';

/** The code of the parameter with the types of the contained resources of a record. Clients cannot search by it. */
export const containedCode = '_contained';

/**
 * The parameter that is indexed if any type is searched with `_contained`; none for a type without contained resources.
 * https://hl7.org/fhir/R4/search.html#contained
 */
export function containedParameters(definition: TypeDefinition, isOffered: boolean): readonly SearchParam[] {
  const { name, elements } = definition;
  if (!isOffered || !elements.has('contained')) return [];
  return [
    bareParameter({
      code: containedCode,
      type: 'token',
      resourceType: name,
      expression: `${name}.contained`,
      dataTypes: new Set(['code']),
      reads: 'contained',
      digest: hash('sha256', containedCode).slice(0, 32),
    }),
  ];
}
