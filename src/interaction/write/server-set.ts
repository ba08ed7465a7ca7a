import { withProperty } from '../../fhir/edit-text.ts';
import { isObject } from '../../fhir/json-object.ts';
import { printZoned } from '../../fhir/zone.ts';
import type { Property, TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { ResourceType } from '../../model/model.ts';

/**
 * The compact text of a resource with the elements that the server sets if they are absent, a choice in any of its
 * types. `now` in milliseconds since 1970 UTC; times are written in `zone` (IANA), with their offset.
 */
export function fillServerSet(
  text: string,
  resource: unknown,
  { definition, serverSet }: ResourceType,
  definitions: TypeDefinitions,
  { now, zone }: { readonly now: number; readonly zone: string },
): string {
  let filled = text;
  for (const { path } of serverSet) {
    const names = path.split('.').slice(1);
    const type = absentType(resource, names, definition, definitions);
    if (type !== undefined) filled = withProperty(filled, names, JSON.stringify(printNow(type, now, zone)));
  }
  return filled;
}

/** The type of the element to set; undefined if it exists already, or its parent does not. */
function absentType(
  resource: unknown,
  names: readonly string[],
  definition: TypeDefinition,
  definitions: TypeDefinitions,
): string | undefined {
  let owner: unknown = resource;
  let type: TypeDefinition | undefined = definition;
  for (const [index, name] of names.entries()) {
    const property: Property | undefined = type?.properties.get(name);
    if (!isObject(owner) || property === undefined) return undefined;
    if (index === names.length - 1) {
      const object = owner;
      const there = property.element.types.some(
        ({ property: key }) => object[key] !== undefined || object[`_${key}`] !== undefined,
      );
      return there ? undefined : property.type.code;
    }
    owner = owner[name];
    type = property.type.content ?? definitions.get(property.type.code);
  }
  return undefined;
}

/** https://hl7.org/fhir/R4/datatypes.html#dateTime */
function printNow(type: string, now: number, zone: string): string {
  const text = printZoned(now, zone);
  if (type === 'date') return text.slice(0, 10);
  return type === 'instant' ? text : text.replace(/\.\d+/, '');
}
