import { isObject } from '../fhir/json-object.ts';
import { items, properties } from '../fhir/resource-text.ts';
import type { PropertyText } from '../fhir/resource-text.ts';
import { parseStored } from '../fhir/stored-text.ts';
import type { ElementDefinition, Property, TypeDefinition, TypeDefinitions } from '../model/element.ts';

/** The requested part of a resource: `_summary` and `_elements`. */
export interface Subset {
  readonly summary: 'true' | 'text' | 'data' | 'count' | 'false';
  /** Element names at the root; undefined for all. */
  readonly elements: readonly string[] | undefined;
}

/**
 * The requested part of a resource, as text, tagged SUBSETTED; the text itself if all of it is requested. Works on the
 * compact text without parsing values, so that numbers stay unchanged. With `_elements`, elements that are mandatory or
 * modify the meaning stay. Throws `TextDamaged` if the text is not JSON, unless all of it is requested.
 * https://hl7.org/fhir/R4/search.html#summary
 */
export function subset(text: string, wanted: Subset, type: TypeDefinition, definitions: TypeDefinitions): string {
  if (isWhole(wanted)) return text;
  parseStored(text); // the code below would turn it into other broken JSON
  let head = '';
  let meta = '{}';
  let rest = '';
  for (const property of properties(text)) {
    const name = property.name.slice(1, -1);
    if (name === 'resourceType' || name === 'id') head += `,${property.name}:${property.value}`;
    else if (name === 'meta') meta = property.value;
    else {
      const value = valueOf(property, name, wanted, type, definitions);
      if (value !== undefined) rest += `,${property.name}:${value}`;
    }
  }
  return `{${head.slice(1)}${head === '' ? '' : ','}"meta":${tagged(meta)}${rest}}`;
}

/** True if all is requested. */
export const isWhole = (wanted: Subset): boolean => wanted.summary === 'false' && wanted.elements === undefined;

/** The remaining value of a property at the root; undefined for none. */
function valueOf(
  property: PropertyText,
  name: string,
  wanted: Subset,
  type: TypeDefinition,
  definitions: TypeDefinitions,
): string | undefined {
  const known = type.properties.get(name.startsWith('_') ? name.slice(1) : name);
  if (known === undefined)
    return wanted.summary === 'data' && wanted.elements === undefined ? property.value : undefined;
  const { element } = known;
  if (wanted.elements !== undefined && !isMeant(element, wanted.elements)) return undefined;
  switch (wanted.summary) {
    case 'data':
      return element.name === 'text' ? undefined : property.value;
    case 'text':
      return element.name === 'text' || element.min > 0 ? property.value : undefined;
    case 'true':
      if (!element.summary && element.min === 0 && !element.modifier) return undefined;
      return name.startsWith('_') ? property.value : summaryOfValue(property.value, known, definitions);
    case 'count':
    case 'false':
      return property.value;
    default:
      return wanted.summary satisfies never;
  }
}

const isMeant = (element: ElementDefinition, asked: readonly string[]): boolean =>
  element.min > 0 || element.modifier || asked.includes(element.name);

/** The text of meta with the tag SUBSETTED. https://hl7.org/fhir/R4/valueset-common-tags.html */
function tagged(meta: string): string {
  const tags = properties(meta).find(({ name }) => name === '"tag"')?.value;
  if (tags === undefined) return `${meta.slice(0, -1)}${meta === '{}' ? '' : ','}"tag":[${subsetted}]}`;
  const list: unknown = JSON.parse(tags);
  if (Array.isArray(list) && list.some(isSubsetTag)) return meta;
  const others = properties(meta).filter(({ name }) => name !== '"tag"');
  const kept = others.map(({ name, value }) => `${name}:${value},`).join('');
  return `{${kept}"tag":${tags.slice(0, -1)}${tags === '[]' ? '' : ','}${subsetted}]}`;
}

/** True for the tag of a resource from which elements are left out, in the systems of R4 and of earlier versions. */
export function isSubsetTag(tag: unknown): boolean {
  if (!isObject(tag) || tag['code'] !== 'SUBSETTED') return false;
  const { system } = tag;
  return system === undefined || system === observationValue || system === 'http://hl7.org/fhir/v3/ObservationValue';
}

/**
 * The part of one property's value for `_summary=true`, as text: of objects the elements that the definition marks as
 * summary, are mandatory or modify the meaning. Undefined if nothing is left of an optional element; a mandatory one
 * then stays whole. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.isSummary
 */
function summaryOfValue(value: string, property: Property, definitions: TypeDefinitions): string | undefined {
  const { element, type } = property;
  const content = type.content ?? definitions.get(type.code);
  if (content === undefined || content.kind !== 'complex-type') return value;
  const left = value.startsWith('[')
    ? listOf(items(value).flatMap(item => summaryOfObject(item, content, definitions) ?? []))
    : summaryOfObject(value, content, definitions);
  return left === undefined && element.min > 0 ? value : left;
}

function summaryOfObject(text: string, type: TypeDefinition, definitions: TypeDefinitions): string | undefined {
  if (!text.startsWith('{')) return text;
  let kept = '';
  for (const { name: quoted, value } of properties(text)) {
    const name = quoted.slice(1, -1);
    const extra = name.startsWith('_');
    const property = type.properties.get(extra ? name.slice(1) : name);
    if (property === undefined) continue;
    const { element } = property;
    if (!element.summary && element.min === 0 && !element.modifier) continue;
    const left = extra ? value : summaryOfValue(value, property, definitions);
    if (left !== undefined) kept += `,${quoted}:${left}`;
  }
  return kept === '' ? undefined : `{${kept.slice(1)}}`;
}

const listOf = (texts: readonly string[]): string | undefined =>
  texts.length === 0 ? undefined : `[${texts.join(',')}]`;

const observationValue = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue';
const subsetted = `{"system":"${observationValue}","code":"SUBSETTED"}`;
