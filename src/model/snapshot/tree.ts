import { asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';

/**
 * One ElementDefinition in the tree of a list, by paths and slice names: `Observation.component:systolic.code` is the
 * child `code` of the slice `systolic` of the child `component`. Immutable, so that trees may share parts.
 * https://hl7.org/fhir/R4/elementdefinition.html#id
 */
export interface Node {
  /** The last step of the path: `value[x]`. */
  readonly name: string;
  /** Name of the slice; `a/b` for a slice of a slice. Undefined for the element itself. */
  readonly slice: string | undefined;
  /** Undefined if the list has only descendants. */
  readonly element: JsonObject | undefined;
  readonly children: readonly Node[];
  /** The slices of this element, each after the one that it refines; empty for a slice. */
  readonly slices: readonly Node[];
}

/**
 * The tree of a snapshot or differential; undefined for an empty list. If ids are missing or contradict the paths, an
 * element belongs to the last parent above it in the list.
 */
export function parseTree(elements: readonly JsonObject[]): Node | undefined {
  const roots: Growing[] = [];
  const latest = new Map<string, readonly IdStep[]>(); // by path
  for (const element of elements) {
    const steps = stepsOf(element, latest);
    latest.set(String(element['path']), steps);
    let siblings = roots;
    let node: Growing | undefined;
    for (const { name, slice } of steps) {
      node = grow(siblings, name, undefined);
      if (slice !== undefined) node = grow(node.slices, name, slice);
      siblings = node.children;
    }
    if (node !== undefined) node.element ??= element;
  }
  return roots[0];
}

/** The tree of a complete snapshot; cached by list. Undefined for an empty list. */
export function parseSnapshot(elements: readonly JsonObject[]): Node | undefined {
  const there = parsed.get(elements);
  if (there !== undefined) return there;
  const root = parseTree(elements);
  if (root === undefined) return undefined;
  const tree = settled(root);
  parsed.set(elements, tree);
  return tree;
}

const parsed = new WeakMap<readonly JsonObject[], Node>();

const settled = (node: Node): Node => {
  const { children, slices, ...rest } = foldSlice(node);
  return { ...rest, children: children.map(settled), slices: slices.map(settled) };
};

/** The list of a tree: depth first, an element before its slices, with new paths and ids. */
export function printTree(root: Node): readonly JsonObject[] {
  const printed: JsonObject[] = [];
  const print = (node: Node, path: string, id: string): void => {
    const { id: _id, path: _path, sliceName: _sliceName, ...rest } = node.element ?? {};
    printed.push({ id, path, ...(node.slice === undefined ? {} : { sliceName: node.slice }), ...rest });
    for (const child of node.children) print(child, `${path}.${child.name}`, `${id}.${child.name}`);
    for (const slice of node.slices) print(slice, path, `${id}:${slice.slice}`);
  };
  print(root, root.name, root.name);
  return printed;
}

/** Returns the slice of an element that has only one named slice, without its name. */
export function foldSlice(node: Node): Node {
  const [only] = node.slices;
  if (node.element !== undefined || only === undefined || node.slices.length > 1) return node;
  const { sliceName: _, ...element } = only.element ?? {};
  return { ...only, slice: undefined, element, children: [...node.children, ...only.children] };
}

interface IdStep {
  readonly name: string;
  readonly slice: string | undefined;
}

interface Growing extends Node {
  element: JsonObject | undefined;
  readonly children: Growing[];
  readonly slices: Growing[];
}

function grow(siblings: Growing[], name: string, slice: string | undefined): Growing {
  const there = siblings.find(node => node.name === name && node.slice === slice);
  if (there !== undefined) return there;
  const made: Growing = { name, slice, element: undefined, children: [], slices: [] };
  siblings.push(made);
  return made;
}

function stepsOf(element: JsonObject, latest: ReadonlyMap<string, readonly IdStep[]>): readonly IdStep[] {
  const path = String(element['path']);
  const names = path.split('.');
  const slice = asString(element['sliceName']);
  const byId = idSteps(asString(element['id']) ?? '', names, slice);
  if (byId !== undefined) return byId;
  let above: readonly IdStep[] = [];
  for (let length = names.length - 1; length > 0 && above.length === 0; length--)
    above = latest.get(names.slice(0, length).join('.')) ?? [];
  const rest = names.slice(above.length);
  return [...above, ...rest.map((name, at) => ({ name, slice: at === rest.length - 1 ? slice : undefined }))];
}

/** The steps of an id, if it agrees with the path and the slice name. */
function idSteps(id: string, names: readonly string[], sliceName: string | undefined): readonly IdStep[] | undefined {
  const steps = id.split('.').map((step): IdStep => {
    const colon = step.indexOf(':');
    return colon < 0 ? { name: step, slice: undefined } : { name: step.slice(0, colon), slice: step.slice(colon + 1) };
  });
  const last = steps.at(-1);
  const agrees =
    steps.length === names.length &&
    steps.every(({ name }, at) => name === names[at] || isChoiceOf(names[at] ?? '', name)) &&
    (sliceName === undefined || last?.slice === sliceName || isChoiceOf(sliceName, last?.name ?? ''));
  return agrees ? steps : undefined;
}

/** Whether `valueQuantity` is a name for `value[x]`. */
export const isChoiceOf = (name: string, choice: string): boolean =>
  choice.endsWith('[x]') && name.startsWith(choice.slice(0, -3)) && /^[A-Z]/.test(name.slice(choice.length - 3));
