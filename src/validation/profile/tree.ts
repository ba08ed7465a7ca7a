import { asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Snapshot } from './snapshot.ts';

/** An element of a snapshot with the elements below it and its slices. */
export interface Tree {
  readonly element: JsonObject;
  /** The last step of the path without `[x]`. */
  readonly name: string;
  readonly choice: boolean;
  readonly sliceName: string | undefined;
  readonly children: readonly Tree[];
  readonly slices: readonly Tree[];
  /** The element that a contentReference names, which provides the children. */
  readonly content: Tree | undefined;
}

type Growing = {
  -readonly [Key in keyof Tree]: Tree[Key] extends readonly Tree[]
    ? Growing[]
    : Tree[Key] extends Tree | undefined
      ? Growing | undefined
      : Tree[Key];
};

/**
 * The elements of a snapshot as a tree, by their paths, slice names and order, since ids may be missing. A slice `a/b`
 * is below the slice `a`. Undefined for a snapshot without elements. https://hl7.org/fhir/R4/profiling.html#slicing
 */
export function treeOf({ elements }: Pick<Snapshot, 'elements'>): Tree | undefined {
  /** The latest element of each path, slices included: the elements after it belong to it. */
  const newest = new Map<string, Growing>();
  const references: Growing[] = [];
  const byPath = new Map<string, Growing>();
  let root: Growing | undefined;
  for (const element of elements) {
    const path = String(element['path']);
    const tree = grow(element, path);
    if (element['contentReference'] !== undefined) references.push(tree);
    if (!byPath.has(path)) byPath.set(path, tree);
    if (root === undefined) {
      root = tree;
      newest.set(path, tree);
      continue;
    }
    const parent = newest.get(path.slice(0, Math.max(0, path.lastIndexOf('.'))));
    if (parent === undefined) continue; // an element without its parent cannot be checked
    place(tree, parent);
    newest.set(path, tree);
  }
  for (const tree of references) {
    const reference = String(tree.element['contentReference']);
    tree.content = byPath.get(reference.slice(reference.indexOf('#') + 1));
  }
  return root;
}

function grow(element: JsonObject, path: string): Growing {
  const last = path.slice(path.lastIndexOf('.') + 1);
  const choice = last.endsWith('[x]');
  const sliceName = asString(element['sliceName']);
  return {
    element,
    name: choice ? last.slice(0, -3) : last,
    choice,
    sliceName,
    children: [],
    slices: [],
    content: undefined,
  };
}

function place(tree: Growing, parent: Growing): void {
  const { sliceName } = tree;
  if (sliceName === undefined) {
    parent.children.push(tree);
    return;
  }
  const sliced = parent.children.findLast(({ name }) => name === tree.name || tree.name.startsWith(name));
  if (sliced === undefined) {
    parent.children.push(tree);
    return;
  }
  const owner = ownerOf(sliced, sliceName);
  owner.slices.push(tree);
}

/** The parent slice of a name: for `a/b/c` the slice `a/b`, else `a`, else the element. */
function ownerOf(sliced: Growing, sliceName: string): Growing {
  for (const slice of sliced.slices)
    if (slice.sliceName !== undefined && sliceName.startsWith(`${slice.sliceName}/`)) return ownerOf(slice, sliceName);
  return sliced;
}

/** The value of `fixed[x]`, `pattern[x]`, `minValue[x]`, `maxValue[x]`; undefined for none. */
export function valueOf(element: JsonObject, kind: 'fixed' | 'pattern' | 'minValue' | 'maxValue'): unknown {
  for (const key in element) if (key.startsWith(kind) && isCapital(key.charCodeAt(kind.length))) return element[key];
  return undefined;
}

const isCapital = (code: number): boolean => code >= 0x41 && code <= 0x5a;
