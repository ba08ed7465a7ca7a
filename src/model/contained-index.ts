import { hash } from 'node:crypto';
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
    Object.freeze<SearchParam>({
      code: containedCode,
      type: 'token',
      url: '',
      resourceType: name,
      expression: `${name}.contained`,
      targets: [],
      dataTypes: new Set(['code']),
      single: false,
      modifiers: new Set<string>(),
      modified: new Map<string, SearchParam>(),
      reads: 'contained',
      delegated: false,
      components: [],
      digest: hash('sha256', containedCode).slice(0, 32),
      description: undefined,
    }),
  ];
}
