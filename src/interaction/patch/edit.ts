import { isObject } from '../../fhir/json-object.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';

/** Property names and indexes from the root of a record. */
export type Steps = readonly (string | number)[];

/** The place of an element in a record. */
export interface Slot {
  /** The object that has its property. */
  readonly owner: Steps;
  /** The JSON name. Its extensions, if it is a primitive, are in the sibling `_name`. */
  readonly property: string;
  /** Undefined if it does not repeat. */
  readonly index: number | undefined;
}

/** What is placed: `sibling` has the extensions of a primitive. */
export interface Placed<T = unknown> {
  readonly value: T | undefined;
  readonly sibling: T | undefined;
}

/** The slot of a node that is not a root. */
export function slotOf(node: Node): Slot {
  const { parent, index } = node;
  if (parent === undefined) throw new Error('A root has no slot');
  return { owner: ownerSteps(parent), property: propertyOf(node), index: index < 0 ? undefined : index };
}

/** The object with the children of a node: of a primitive its sibling. https://hl7.org/fhir/R4/json.html#primitive */
export function ownerSteps(node: Node): Steps {
  const { parent, definition, index } = node;
  if (parent === undefined) return [];
  const name = propertyOf(node);
  const own = definition?.kind === 'primitive-type' ? siblingOf(name) : name;
  return [...ownerSteps(parent), own, ...(index < 0 ? [] : [index])];
}

function propertyOf({ element, code }: Node): string {
  const type = element?.choice === true ? element.types.find(one => one.code === code) : undefined;
  return type?.property ?? element?.name ?? '';
}

const siblingOf = (property: string): string => `_${property}`;

type Json = Record<string | number, unknown>;

/** Adds an item to a list, or sets an element that does not repeat. */
export function place(root: unknown, slot: Slot, placed: Placed): void {
  const { owner, property, index } = slot;
  const { value, sibling } = placed;
  if (index === undefined) return set(root, slot, placed);
  changeLists(objectAt(root, owner), property, lists => {
    lists[0].splice(index, 0, value ?? null);
    lists[1].splice(index, 0, sibling ?? null);
  });
}

/** Replaces an element; of a choice its type may be another one, so that its property is. */
export function replace(root: unknown, slot: Slot, property: string, { value, sibling }: Placed): void {
  const { owner, index } = slot;
  if (index !== undefined)
    return changeLists(objectAt(root, owner), property, lists => {
      [lists[0][index], lists[1][index]] = [value ?? null, sibling ?? null];
    });
  if (property !== slot.property) set(root, slot, { value: undefined, sibling: undefined });
  set(root, { ...slot, property }, { value, sibling });
}

function set(root: unknown, { owner, property }: Slot, { value, sibling }: Placed): void {
  const object = objectAt(root, owner);
  for (const [name, own] of [
    [property, value],
    [siblingOf(property), sibling],
  ] as const)
    if (own === undefined) delete object[name];
    else object[name] = own;
}

/** Removes an element, and the objects that are empty without it. */
export function remove(root: unknown, { owner, property, index }: Slot): void {
  const object = objectAt(root, owner);
  if (index === undefined) {
    delete object[property];
    delete object[siblingOf(property)];
  } else
    changeLists(object, property, lists => {
      for (const list of lists) list.splice(index, 1);
    });
  prune(root, owner);
}

/** Moves an item within its list: it is taken out, then put at its new index. */
export function move(root: unknown, { owner, property }: Slot, from: number, to: number): void {
  changeLists(objectAt(root, owner), property, lists => {
    for (const list of lists) list.splice(to, 0, ...list.splice(from, 1));
  });
}

/** The length of a list: the items of a primitive may be without values, or without extensions. */
export function lengthOf(root: unknown, { owner, property }: Slot): number {
  const object = objectAt(root, owner);
  return Math.max(listAt(object, property).length, listAt(object, siblingOf(property)).length);
}

/** The object at the steps; those of siblings are made if there are none. */
function objectAt(root: unknown, steps: Steps): Json {
  let object = root as Json; // the nodes of these steps were found in it
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(object)) while (object.length < Number(step)) object.push(null);
    const own = object[step];
    const next = isObject(own) || Array.isArray(own) ? own : typeof steps[at + 1] === 'number' ? [] : {};
    object[step] = next;
    object = next as Json;
  }
  return object;
}

const listAt = (object: Json, name: string): readonly unknown[] => {
  const list = object[name];
  return Array.isArray(list) ? list : [];
};

/** Changes the values of a list and their siblings, which have the same length; those of nulls alone are omitted. */
function changeLists(object: Json, property: string, change: (lists: [unknown[], unknown[]]) => void): void {
  const names = [property, siblingOf(property)] as const;
  const length = Math.max(...names.map(name => listAt(object, name).length));
  const [values, siblings] = names.map(name => {
    const list = [...listAt(object, name)];
    while (list.length < length) list.push(null);
    return list;
  }) as [unknown[], unknown[]]; // two names
  change([values, siblings]);
  for (const [at, list] of [values, siblings].entries()) {
    const name = names[at] ?? '';
    if (list.every(item => item === null)) delete object[name];
    else object[name] = list;
  }
}

function prune(root: unknown, steps: Steps): void {
  const last = steps.at(-1);
  if (last === undefined) return;
  const object = objectAt(root, steps);
  if (Object.keys(object).length > 0) return;
  if (typeof last === 'string') {
    const owner = steps.slice(0, -1);
    delete objectAt(root, owner)[last];
    return prune(root, owner);
  }
  const [name, owner] = [String(steps.at(-2)), steps.slice(0, -2)];
  const isSibling = name.startsWith('_');
  changeLists(objectAt(root, owner), isSibling ? name.slice(1) : name, lists => {
    const [values, siblings] = lists;
    if (isSibling && values[last] !== null) siblings[last] = null;
    else for (const list of lists) list.splice(last, 1);
  });
  prune(root, owner);
}
