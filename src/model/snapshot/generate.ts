import type { FindSnapshot, Snapshot, SnapshotProblem } from './snapshot.ts';
import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { ofType, typeOfChoice, withShorthands } from './choice.ts';
import { childrenOf } from './expand.ts';
import { maxOf, mergeElement, minOf } from './merge-element.ts';
import { foldSlice, parseSnapshot, parseTree, printTree } from './tree.ts';
import type { Node } from './tree.ts';

/**
 * The snapshot of a StructureDefinition from its differential: the elements of its base merged with the differential,
 * with slices, with the elements of data types, type profiles and content references on its paths, and, for a
 * specialization, with new ones. Parts that cannot be applied are left out and reported. Nothing is relaxed: the
 * narrower cardinality wins. https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export function generateSnapshot(structure: JsonObject, find: FindSnapshot): Snapshot {
  const problems: SnapshotProblem[] = [];
  const type = String(structure['type']);
  const url = String(structure['url']);
  const made = (elements: readonly JsonObject[]): Snapshot => ({ url, type, structure, elements, problems });
  const differential = parseTree(objectsOf(asObject(structure['differential'])['element']));
  const baseUrl = asString(structure['baseDefinition']);
  if (baseUrl === undefined) return made(differential === undefined ? [] : printTree(differential));
  const found = find(baseUrl);
  problems.push(...(found?.problems ?? []));
  const base = parseSnapshot(found?.elements ?? []);
  if (base === undefined) {
    if (problems.length === 0) problems.push({ element: type, text: `The base \`${baseUrl}\` is not loaded.` });
    return made([]);
  }
  const adds = structure['derivation'] === 'specialization';
  const root: Node = { ...base, name: adds ? type : base.name };
  return made(printTree(merge(root, differential, { find, base: root, adds, problems, id: root.name })));
}

interface Context {
  readonly find: FindSnapshot;
  /** The tree into which content references point. */
  readonly base: Node;
  /** Whether the differential may name new elements. */
  readonly adds: boolean;
  readonly problems: SnapshotProblem[];
  /** Id of the current element. */
  readonly id: string;
}

function merge(base: Node, written: Node | undefined, context: Context): Node {
  if (written === undefined) return base;
  const differential = isSliced(base, written) ? written : foldSlice(written);
  checkCardinality(base, differential, context);
  const element = mergeElement(base.element ?? {}, differential.element ?? {});
  const node = mergeChildren({ ...base, element }, differential, context);
  return mergeSlices(base, withOwnType(node, differential), differential, context);
}

/** A type that a differential writes replaces a content reference, after its children were taken from there. */
function withOwnType(node: Node, { element: written }: Node): Node {
  if (written?.['type'] === undefined || node.element?.['contentReference'] === undefined) return node;
  const { contentReference: _, ...element } = node.element;
  return { ...node, element };
}

function mergeChildren(node: Node, written: Node, context: Context): Node {
  if (written.children.length === 0) return node;
  const { children, element, problem, undecided } = childrenOf(node, context);
  if (problem !== undefined)
    context.problems.push({ element: context.id, text: problem, ...(undecided === true ? { undecided } : {}) });
  const differential = withShorthands(written.children, children);
  const at = (child: Node): Context => ({ ...context, id: `${context.id}.${child.name}` });
  const known = children.map(child => merge(child, named(differential, child.name), at(child)));
  const others = differential.filter(child => named(children, child.name) === undefined);
  if (context.adds) return { ...node, element, children: [...known, ...others.map(child => create(child, at(child)))] };
  for (const child of others)
    context.problems.push({ element: at(child).id, text: 'The base has no such element, so this was left out.' });
  return { ...node, element, children: known };
}

/** An element that a new type adds. https://hl7.org/fhir/R4/elementdefinition.html#ElementDefinition.base */
function create(written: Node, context: Context): Node {
  const { min, max } = written.element ?? {};
  const element = { ...written.element, base: { path: context.id, min, max } };
  return mergeChildren({ ...written, element, children: [] }, written, context);
}

/**
 * `node` is the element after its own merge. The slices of the base come first, merged with the differential; a new
 * slice begins as the element itself, or as the slice that it refines, and follows that.
 */
function mergeSlices(base: Node, node: Node, written: Node, context: Context): Node {
  if (written.slices.length === 0) return node;
  const at = ({ slice }: Node): Context => ({ ...context, id: `${context.id}:${slice}` });
  const slices = base.slices.map(slice => merge(slice, findSlice(written.slices, slice.slice), at(slice)));
  for (const one of written.slices) {
    if (findSlice(base.slices, one.slice) !== undefined) continue;
    const above = one.slice?.slice(0, Math.max(0, one.slice.lastIndexOf('/')));
    const parent = findSlice(slices, above);
    const template = parent === undefined ? asSlice(node, base, one) : asSlice(parent, parent, one);
    const place = slices.findLastIndex(({ slice }) => slice === above || slice?.startsWith(`${above}/`) === true);
    slices.splice(place < 0 ? slices.length : place + 1, 0, merge(template, one, at(one)));
  }
  return { ...node, element: withSlicing(node), slices };
}

/**
 * A new slice before its differential is applied: like all items, but optional, not sliced, and with the maximum of the
 * base, since some differentials allow no items outside of slices.
 */
function asSlice({ name, element, children }: Node, base: Node, written: Node): Node {
  const { slice } = written;
  const { slicing: _, ...rest } = element ?? {};
  const max = base.element?.['max'];
  const like = { ...rest, min: 0, ...(max === undefined ? {} : { max }) };
  const types = objectsOf(written.element?.['type']);
  const type = typeOfChoice(slice ?? '', base) ?? (name.endsWith('[x]') && types.length === 1 ? types[0] : undefined);
  if (type === undefined) return { name, slice, element: like, children, slices: [] };
  return { name, slice, element: ofType(like, type), children: [], slices: [] };
}

/**
 * Without a discriminator a slice name is ignored: HL7's own tool then merges it into the element itself, as in
 * http://hl7.org/fhir/StructureDefinition/catalog.
 */
function isSliced(base: Node, { element, slices }: Node): boolean {
  const [first, second] = slices;
  if (first === undefined || second !== undefined || element !== undefined) return true;
  if (base.element?.['slicing'] !== undefined || base.slices.length > 0) return true;
  if (!base.name.endsWith('[x]')) return slicedByNature.test(base.name);
  return objectsOf(first.element?.['type']).length === 1 || typeOfChoice(first.slice ?? '', base) !== undefined;
}

/** Extensions are sliced by url and choices by type implicitly. https://hl7.org/fhir/R4/profiling.html#slicing */
function withSlicing({ name, element }: Node): JsonObject {
  const discriminator = name.endsWith('[x]') ? { type: 'type', path: '$this' } : { type: 'value', path: 'url' };
  if (element?.['slicing'] !== undefined || !slicedByNature.test(name)) return element ?? {};
  return { ...element, slicing: { discriminator: [discriminator], ordered: false, rules: 'open' } };
}

const slicedByNature = /\[x\]$|^(modifierE|e)xtension$/;

const findSlice = (slices: readonly Node[], name: string | undefined): Node | undefined =>
  slices.find(({ slice }) => slice === name);

function checkCardinality(base: Node, differential: Node, { problems, id }: Context): void {
  const [before, now] = [base.element ?? {}, differential.element ?? {}];
  if (now['min'] !== undefined && minOf(now) < minOf(before))
    problems.push({
      element: id,
      text: `\`min\` ${minOf(now)} would relax the base's ${minOf(before)}, which is used.`,
    });
  if (now['max'] !== undefined && maxOf(now) > maxOf(before))
    problems.push({
      element: id,
      text: `\`max\` ${asString(now['max']) ?? ''} would relax the base's ${maxOf(before)}, which is used.`,
    });
}

const named = (nodes: readonly Node[], name: string): Node | undefined => nodes.find(node => node.name === name);
