import { withProperty } from '../../fhir/edit-text.ts';
import { isObject } from '../../fhir/json-object.ts';
import { printZoned } from '../../fhir/zone.ts';
import type { Property, TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { ResourceType } from '../../model/model.ts';

/** What the server sets absent elements to: the time in milliseconds since 1970 UTC, in a zone (IANA). */
export interface ServerSetValues {
  readonly now: number;
  readonly zone: string;
  /** Parses the version before: an element that it has keeps its value. Called only if one is absent in the new one. */
  readonly former?: (() => unknown) | undefined;
}

/**
 * The compact text of a resource with the elements that the server sets if they are absent, a choice in any of its
 * types. Times are written with their offset.
 */
export function fillServerSet(
  text: string,
  resource: unknown,
  { definition, serverSet }: ResourceType,
  definitions: TypeDefinitions,
  { now, zone, former }: ServerSetValues,
): string {
  let filled = text;
  for (const { path } of serverSet) {
    const names = path.split('.').slice(1);
    const place = placeOf(resource, names, definition, definitions);
    if (place === undefined || place.found !== undefined) continue;
    const kept = placeOf(former?.(), names, definition, definitions)?.found;
    const [name, value] = kept ?? [names.at(-1) ?? '', printNow(place.type, now, zone)];
    filled = withProperty(filled, [...names.slice(0, -1), name], JSON.stringify(value));
  }
  return filled;
}

interface ElementPlace {
  /** The type of the element by its path. */
  readonly type: string;
  /** The property that exists there, of any type of the element, and its value. */
  readonly found: readonly [name: string, value: unknown] | undefined;
}

/** The place of an element; undefined if its parent does not exist. */
function placeOf(
  resource: unknown,
  names: readonly string[],
  definition: TypeDefinition,
  definitions: TypeDefinitions,
): ElementPlace | undefined {
  let owner: unknown = resource;
  let type: TypeDefinition | undefined = definition;
  for (const [index, name] of names.entries()) {
    const property: Property | undefined = type?.properties.get(name);
    if (!isObject(owner) || property === undefined) return undefined;
    if (index === names.length - 1) {
      const object = owner;
      const keys = property.element.types.flatMap(({ property: key }) => [key, `_${key}`]);
      const key = keys.find(one => object[one] !== undefined);
      return { type: property.type.code, found: key === undefined ? undefined : [key, object[key]] };
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
