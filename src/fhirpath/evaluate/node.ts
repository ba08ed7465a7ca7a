import type { ElementDefinition, TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import { isObject } from '../../fhir/json-object.ts';

/** A value of a resource with its definition; `sibling` has the extensions of a primitive (`_name`). */
export interface Node {
  readonly kind: 'node';
  /** Undefined if a primitive has extensions only. */
  readonly value: unknown;
  readonly sibling: unknown;
  /** FHIR type: `Quantity`, `code`, `BackboneElement`, `Patient`. */
  readonly code: string;
  readonly definition: TypeDefinition | undefined;
  /** Its element; undefined for a resource. */
  readonly element: ElementDefinition | undefined;
  /** The index in the array; -1 if the element does not repeat. */
  readonly index: number;
  /** The node that has it as a child; undefined for a root. */
  readonly parent: Node | undefined;
}

/** A node for a resource, or for a value of a type without a parent. */
export const rootNode = (value: unknown, definition: TypeDefinition): Node => ({
  kind: 'node',
  value,
  sibling: undefined,
  code: definition.name,
  definition,
  element: undefined,
  index: -1,
  parent: undefined,
});

/** The values of an element of an object, in order; values of another JSON kind than their type are skipped. */
export function nodesAt(parent: Node, element: ElementDefinition, types: TypeDefinitions): readonly Node[] {
  const owner = parent.definition?.kind === 'primitive-type' ? parent.sibling : parent.value;
  if (!isObject(owner)) return none;
  if (!element.choice) {
    const type = element.types[0];
    if (type === undefined) return none;
    const value = owner[element.name];
    const sibling = isLower(type.code) ? owner[siblingName(element.name)] : undefined;
    if (value === undefined && sibling === undefined) return none;
    return read(parent, element, type, value, sibling, types);
  }
  let found: Node[] | undefined;
  for (const name in owner) {
    if (!name.startsWith(element.name)) continue;
    const property = parent.definition?.properties.get(name);
    if (property?.element.name !== element.name) continue;
    (found ??= []).push(...read(parent, element, property.type, owner[name], owner[siblingName(name)], types));
  }
  for (const name in owner) {
    if (!name.startsWith('_')) continue;
    const plain = name.slice(1);
    const property = plain in owner ? undefined : parent.definition?.properties.get(plain);
    if (property?.element.name !== element.name) continue;
    (found ??= []).push(...read(parent, element, property.type, undefined, owner[name], types));
  }
  return found ?? none;
}

/** All children, in the order of the JSON properties. https://hl7.org/fhirpath/N1/#children--collection */
export function childrenOf(parent: Node, types: TypeDefinitions): readonly Node[] {
  const primitive = parent.definition?.kind === 'primitive-type';
  const owner = primitive ? parent.sibling : parent.value;
  if (!isObject(owner)) return none;
  const properties = (primitive ? types.get('Element') : parent.definition)?.properties;
  const found: Node[] = [];
  for (const name in owner) {
    const property = properties?.get(name);
    if (property !== undefined) {
      const { element, type } = property;
      // Only primitives have a sibling; building its name is slow, so names are cached.
      const sibling = type.content === undefined && isLower(type.code) ? owner[siblingName(name)] : undefined;
      add(found, parent, element, type, owner[name], sibling, types);
    } else if (name.startsWith('_')) {
      const plain = name.slice(1);
      const own = Object.hasOwn(owner, plain) ? undefined : properties?.get(plain);
      if (own !== undefined) add(found, parent, own.element, own.type, undefined, owner[name], types);
    }
  }
  return found;
}

/** Primitive types begin with a lower-case letter. */
const isLower = (code: string): boolean => code.charCodeAt(0) >= 0x61;

/** `_name`; called with names of elements only. */
function siblingName(name: string): string {
  let sibling = siblingNames.get(name);
  if (sibling === undefined) {
    sibling = `_${name}`;
    siblingNames.set(name, sibling);
  }
  return sibling;
}

const siblingNames = new Map<string, string>();

const none: readonly Node[] = [];

function read(
  parent: Node,
  element: ElementDefinition,
  type: ElementDefinition['types'][number],
  value: unknown,
  sibling: unknown,
  types: TypeDefinitions,
): readonly Node[] {
  const found: Node[] = [];
  add(found, parent, element, type, value, sibling, types);
  return found;
}

function add(
  found: Node[],
  parent: Node,
  element: ElementDefinition,
  type: ElementDefinition['types'][number],
  value: unknown,
  sibling: unknown,
  types: TypeDefinitions,
): void {
  const definition = type.content ?? types.get(type.code);
  if (definition === undefined) return;
  if (element.max <= 1) {
    const node = nodeOf(parent, element, type.code, definition, value, sibling, -1, types);
    if (node !== undefined) found.push(node);
    return;
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : none;
  const siblings: readonly unknown[] = Array.isArray(sibling) ? sibling : none;
  for (let index = 0; index < Math.max(values.length, siblings.length); index++) {
    const node = nodeOf(parent, element, type.code, definition, values[index], siblings[index], index, types);
    if (node !== undefined) found.push(node);
  }
}

function nodeOf(
  parent: Node,
  element: ElementDefinition,
  code: string,
  definition: TypeDefinition,
  value: unknown,
  sibling: unknown,
  index: number,
  types: TypeDefinitions,
): Node | undefined {
  if (definition.kind === 'primitive-type') {
    const own = typeof value === 'object' ? undefined : value;
    const beside = isObject(sibling) ? sibling : undefined;
    if (own === undefined && beside === undefined) return undefined;
    return { kind: 'node', value: own, sibling: beside, code, definition, element, index, parent };
  }
  if (!isObject(value)) return undefined;
  if (definition.kind !== 'resource')
    return { kind: 'node', value, sibling: undefined, code, definition, element, index, parent };
  const own = value['resourceType'];
  const resource = typeof own === 'string' && types.resourceTypes.has(own) ? types.get(own) : undefined;
  if (resource === undefined) return undefined;
  return { kind: 'node', value, sibling: undefined, code: resource.name, definition: resource, element, index, parent };
}
