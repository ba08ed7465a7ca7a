import { parseReference } from '../fhir/reference.ts';
import { asObject, asString } from '../fhir/json-object.ts';

/**
 * `Type/id`, the key of a record; undefined for contained resources and without an id. Keys of two types never meet.
 * https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html#fhirpath-functions
 */
export function resourceKey(value: unknown): string | undefined {
  const { resourceType, id } = asObject(value);
  return typeof resourceType === 'string' && typeof id === 'string' ? `${resourceType}/${id}` : undefined;
}

/**
 * The key of the record that a Reference names; undefined for another type than `type`, and where the reference does
 * not name a record of this server: absolute URLs, contained resources, identifiers.
 */
export function referenceKey(value: unknown, type: string | undefined): string | undefined {
  const reference = asString(asObject(value)['reference']);
  const parsed = reference === undefined ? undefined : parseReference(reference);
  if (parsed?.kind !== 'relative' || (type !== undefined && parsed.type !== type)) return undefined;
  return `${parsed.type}/${parsed.id}`;
}
