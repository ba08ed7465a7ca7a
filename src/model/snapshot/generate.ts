import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { FindSnapshot, Snapshot, SnapshotProblem } from './snapshot.ts';
import { maxOf, mergeElement, minOf, ofType, typeOfChoice, withShorthands } from './merge-element.ts';
import { foldSlice, parseSnapshot, parseTree, printTree } from './tree.ts';
import type { Node } from './tree.ts';

/** An element with the children of its type. */
interface Expanded {
  readonly element: JsonObject | undefined;
  readonly children: readonly Node[];
  /** What was not found; the children are then those of a more general type, or none. */
  readonly problem?: string;
  /** True if the problem is a profile of the type that is not loaded. */
  readonly undecided?: boolean;
}

/**
 * The children of an element: its own if it has some; else those of the element that its content reference names; else
 * those of its type, from its single type profile. An element of several types has the children that all elements have.
 * https://hl7.org/fhir/R4/profiling.html#snapshot
 */
function childrenOf(node: Node, context: { readonly find: FindSnapshot; readonly base: Node }): Expanded {
  const { element, children } = node;
  if (children.length > 0) return { element, children };
  const reference = asString(element?.['contentReference']);
  if (reference !== undefined) return referred(node, reference, context);
  const types = objectsOf(element?.['type']);
  const [type] = types;
  if (type === undefined)
    return { element, children, problem: 'The element has no type whose elements this could be.' };
  if (new Set(types.map(({ code }) => code)).size > 1) return ofStructure(element, 'Element', context.find);
  const profiles = types.length === 1 ? stringsOf(type['profile']) : [];
  const [profile] = profiles;
  if (profile === undefined || profiles.length > 1) return ofStructure(element, typeName(type), context.find);
  const expanded = ofStructure(element, profile, context.find);
  return expanded.problem === undefined
    ? expanded
    : {
        ...ofStructure(element, typeName(type), context.find),
        problem: expanded.problem,
        undecided: context.find(profile) === undefined,
      };
}

function referred(
  { element, children }: Node,
  reference: string,
  { find, base }: { readonly find: FindSnapshot; readonly base: Node },
): Expanded {
  const [url = '', path = ''] = reference.split('#');
  const root = url === '' ? base : parseSnapshot(find(url)?.elements ?? []);
  let target = root;
  for (const name of path.split('.').slice(1)) target = target?.children.find(child => child.name === name);
  if (target === undefined) return { element, children, problem: `\`${reference}\` is not an element.` };
  const { contentReference: _, ...rest } = element ?? {};
  return { element: { ...rest, type: target.element?.['type'] }, children: target.children };
}

function ofStructure(element: JsonObject | undefined, canonical: string, find: FindSnapshot): Expanded {
  const found = find(canonical);
  const root = parseSnapshot(found?.elements ?? []);
  if (root !== undefined) return { element, children: root.children };
  const problem = found?.problems[0]?.text ?? `\`${canonical}\`, which its type names, is not loaded.`;
  return { element, children: [], problem };
}

/** The FHIR type; ids and values of primitives are typed as FHIRPath strings and name theirs in an extension. */
function typeName({ code, extension }: JsonObject): string {
  const named = objectsOf(extension).find(({ url }) => url === fhirType);
  return asString(named?.['valueUrl']) ?? String(code);
}

const fhirType = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';

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

interface SnapshotContext {
  readonly find: FindSnapshot;
  /** The tree into which content references point. */
  readonly base: Node;
  /** Whether the differential may name new elements. */
  readonly adds: boolean;
  readonly problems: SnapshotProblem[];
  /** Id of the current element. */
  readonly id: string;
}

function merge(base: Node, written: Node | undefined, context: SnapshotContext): Node {
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

function mergeChildren(node: Node, written: Node, context: SnapshotContext): Node {
  if (written.children.length === 0) return node;
  const { children, element, problem, undecided } = childrenOf(node, context);
  if (problem !== undefined)
    context.problems.push({ element: context.id, text: problem, ...(undecided === true ? { undecided } : {}) });
  const differential = withShorthands(written.children, children);
  const at = (child: Node): SnapshotContext => ({ ...context, id: `${context.id}.${child.name}` });
  const known = children.map(child => merge(child, named(differential, child.name), at(child)));
  const others = differential.filter(child => named(children, child.name) === undefined);
  if (context.adds) return { ...node, element, children: [...known, ...others.map(child => create(child, at(child)))] };
  for (const child of others)
    context.problems.push({ element: at(child).id, text: 'The base has no such element, so this was left out.' });
  return { ...node, element, children: known };
}

/** An element that a new type adds. https://hl7.org/fhir/R4/elementdefinition.html#ElementDefinition.base */
function create(written: Node, context: SnapshotContext): Node {
  const { min, max } = written.element ?? {};
  const element = { ...written.element, base: { path: context.id, min, max } };
  return mergeChildren({ ...written, element, children: [] }, written, context);
}

/**
 * `node` is the element after its own merge. The slices of the base come first, merged with the differential; a new
 * slice begins as the element itself, or as the slice that it refines, and follows that.
 */
function mergeSlices(base: Node, node: Node, written: Node, context: SnapshotContext): Node {
  if (written.slices.length === 0) return node;
  const at = ({ slice }: Node): SnapshotContext => ({ ...context, id: `${context.id}:${slice}` });
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

function checkCardinality(base: Node, differential: Node, { problems, id }: SnapshotContext): void {
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
