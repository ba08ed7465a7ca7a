import { asString, isObject, objectsOf, stringsOf } from '../../definitions/json-object.ts';
import type { JsonObject } from '../../definitions/json-object.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { parseExpression } from '../../fhirpath/parse.ts';
import type { Expression } from '../../fhirpath/syntax.ts';
import { isOf, requiredValueSet } from './binding.ts';
import { conformsTo } from './conform.ts';
import { holds, isSame } from './fixed.ts';
import { EvaluationError, Undecided } from '../../fhirpath/evaluate/environment.ts';
import { nodesAt } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { environmentOf } from './invariant.ts';
import type { Kit } from './kit.ts';
import { typeNamedBy } from './target.ts';
import { treeOf, valueOf } from './tree.ts';
import type { Tree } from './tree.ts';
import type { Walk } from './walk.ts';

/** Whether a value is of a slice; undefined where that cannot be told. */
export type Match = (node: Node, walk: Walk) => boolean | undefined;

/**
 * How a discriminator tells that a value is of a slice: by what the slice says of the elements at its path. Undecided for all
 * where the slice says nothing of them. https://hl7.org/fhir/R4/profiling.html#discriminator
 */
export function compileDiscriminator({ type, path }: JsonObject, slice: Tree, kit: Kit): Match {
  const text = asString(path) ?? '$this';
  const evaluate = kit.expression(text);
  const wanted = wantedOf(String(type), text, slice, kit);
  const named = type === 'type' ? typeNamed(text, slice, kit) : undefined;
  if (evaluate === undefined || wanted === undefined) return () => undefined;
  return (node, walk) => {
    try {
      const found = text === '$this' ? [node] : evaluate([node], environmentOf(node, walk));
      return wanted(
        found.filter(item => typeof item === 'object').filter(item => item.kind === 'node'),
        walk,
      );
    } catch (error) {
      if (error instanceof Undecided) return named?.(node, walk);
      if (error instanceof EvaluationError) return undefined;
      throw error;
    }
  };
}

/** Decides by the type that references name, where what they point to is not at hand; undefined for other paths. */
function typeNamed(path: string, slice: Tree, kit: Kit): Match | undefined {
  if (!/(^|\.)resolve\(\)$/.test(path)) return undefined;
  const held = path.replace(/\.?resolve\(\)$/, '');
  const evaluate = kit.expression(held === '' ? '$this' : held);
  const codes = placesOf(path, slice, kit).flatMap(typesOf);
  if (evaluate === undefined || codes.length === 0) return undefined;
  return (node, walk) =>
    any(held === '' ? [node] : evaluate([node], environmentOf(node, walk)), item => {
      const value = typeof item === 'object' && item.kind === 'node' ? item.value : undefined;
      const type = isObject(value) ? typeNamedBy(value, kit) : undefined;
      return type === undefined ? undefined : codes.some(code => isA(type, code, kit.types));
    });
}

const typesOf = ({ element }: Tree): readonly string[] => objectsOf(element['type']).map(({ code }) => String(code));

/** Decides by the values at the path. */
type Wanted = (found: readonly Node[], walk: Walk) => boolean | undefined;

function wantedOf(type: string, path: string, slice: Tree, kit: Kit): Wanted | undefined {
  // The profiles of a target are named by the reference.
  const held = type === 'profile' ? path.replace(/(^|\.)resolve\(\)$/, '') || '$this' : path;
  const places = placesOf(held, slice, kit);
  if (places.length === 0) return undefined;
  const alternatives = places.flatMap(place => wantedAt(type, place, path.includes('resolve()'), kit) ?? []);
  if (alternatives.length === 0) return undefined;
  return (found, walk) => any(alternatives, wanted => wanted(found, walk));
}

function wantedAt(type: string, place: Tree, resolved: boolean, kit: Kit): Wanted | undefined {
  switch (type) {
    case 'value':
    case 'pattern': {
      const needed = neededOf(place, kit, 0);
      return needed && ((found, walk) => any(found, node => needed(node, walk)));
    }
    case 'exists':
      if (place.element['max'] === '0') return found => found.length === 0;
      return Number(place.element['min'] ?? 0) > 0 ? found => found.length > 0 : undefined;
    case 'type': {
      const codes = typesOf(place);
      return codes.length === 0
        ? undefined
        : found => found.some(node => codes.some(code => isA(node.definition?.name ?? node.code, code, kit.types)));
    }
    case 'profile': {
      const types = objectsOf(place.element['type']);
      const profiles = types.flatMap(one => stringsOf(one[resolved ? 'targetProfile' : 'profile']));
      return profiles.length === 0
        ? undefined
        : (found, walk) => any(found, node => any(profiles, profile => conformsTo(node, profile, walk)));
    }
    default:
      return undefined;
  }
}

/** True where one holds, false where none does, undefined where it is left open. */
export function any<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = false;
  for (const item of items) {
    const holds = test(item);
    if (holds === true) return true;
    if (holds === undefined) result = undefined;
  }
  return result;
}

function every<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = true;
  for (const item of items) {
    const holds = test(item);
    if (holds === false) return false;
    if (holds === undefined) result = undefined;
  }
  return result;
}

/** What a value must be by fixed values, patterns and required bindings of an element and of all below it; undefined for nothing. */
function neededOf(tree: Tree, kit: Kit, depth: number): Match | undefined {
  const { element } = tree;
  const needed: Match[] = [];
  const fixed = valueOf(element, 'fixed');
  if (fixed !== undefined) needed.push(node => isSame(node.value, fixed));
  const pattern = valueOf(element, 'pattern');
  if (pattern !== undefined) needed.push((node, { budget }) => holds(node.value, pattern, cost => budget.spend(cost)));
  if (needed.length === 0 && depth < 4) {
    for (const child of tree.children) {
      const slices = child.slices.filter(slice => Number(slice.element['min'] ?? 0) > 0);
      for (const part of [child, ...slices]) {
        const below = neededOf(part, kit, depth + 1);
        if (below !== undefined) needed.push(belowOf(part, below, kit));
      }
    }
  }
  const valueSet = needed.length === 0 && depth === 0 ? requiredValueSet(tree) : undefined;
  if (valueSet !== undefined) needed.push((node, { terminology }) => isOf(node, valueSet, terminology));
  return needed.length === 0 ? undefined : (node, walk) => every(needed, match => match(node, walk));
}

function belowOf(child: Tree, needed: Match, { types }: Kit): Match {
  const optional = Number(child.element['min'] ?? 0) === 0;
  return (node, walk) => {
    const element = node.definition?.elements.get(child.name);
    if (element === undefined) return undefined;
    const found = nodesAt(node, element, types);
    walk.budget.spend(found.length);
    return found.length === 0 && optional ? true : any(found, one => needed(one, walk));
  };
}

/** The elements of a slice that a path leads to; several where a step has alternatives. */
function placesOf(path: string, slice: Tree, kit: Kit): readonly Tree[] {
  let tree: Expression;
  try {
    tree = parseExpression(path);
  } catch {
    return [];
  }
  return stepTo(tree, slice, kit);
}

function stepTo(tree: Expression, slice: Tree, kit: Kit): readonly Tree[] {
  switch (tree.kind) {
    case 'this':
      return [slice];
    case 'other':
      return tree.what === 'this' ? [slice] : [];
    case 'member': {
      const owners = tree.of === undefined ? [slice] : stepTo(tree.of, slice, kit);
      return owners.flatMap(owner => childrenOf(owner, tree.name, kit));
    }
    case 'call': {
      const owners = tree.of === undefined ? [slice] : stepTo(tree.of, slice, kit);
      const [argument] = tree.args;
      if (tree.name === 'resolve') return owners.flatMap(owner => targetTrees(owner, kit));
      if (tree.name === 'extension' && argument?.kind === 'literal')
        return owners.flatMap(owner => extensionTrees(owner, String(argument.value), kit));
      if ((tree.name === 'ofType' || tree.name === 'as') && argument?.kind === 'member')
        return owners.flatMap(owner => [
          owner,
          ...owner.slices.filter(one => objectsOf(one.element['type'])[0]?.['code'] === argument.name),
        ]);
      return [];
    }
    case 'binary':
    case 'index':
    case 'literal':
    case 'sign':
    case 'type':
    case 'variable':
      return [];
    default:
      return tree satisfies never;
  }
}

/** The child of an element in its snapshot, else in the snapshots of its types' profiles, else in that of its type. */
function childrenOf(owner: Tree, name: string, kit: Kit): readonly Tree[] {
  const own = (owner.content ?? owner).children.filter(child => child.name === name);
  if (own.length > 0) return own;
  const types = objectsOf(owner.element['type']);
  const profiled = types
    .flatMap(type => stringsOf(type['profile']))
    .flatMap(profile => snapshotTree(profile, kit)?.children.filter(child => child.name === name) ?? []);
  if (profiled.length > 0) return profiled;
  return types.flatMap(type => kit.baseTree(String(type['code']))?.children.filter(child => child.name === name) ?? []);
}

const snapshotTree = (canonical: string, kit: Kit): Tree | undefined => {
  const snapshot = kit.snapshot(canonical);
  return snapshot && treeOf(snapshot);
};

const targetTrees = (owner: Tree, kit: Kit): readonly Tree[] =>
  objectsOf(owner.element['type'])
    .flatMap(type => stringsOf(type['targetProfile']))
    .flatMap(profile => {
      const tree = snapshotTree(profile, kit);
      // The root of a snapshot names no type; the discriminator asks for it.
      return tree === undefined ? [] : [{ ...tree, element: { ...tree.element, type: [{ code: tree.name }] } }];
    });

const extensionTrees = (owner: Tree, url: string, kit: Kit): readonly Tree[] =>
  childrenOf(owner, 'extension', kit).flatMap(extension =>
    extension.slices.filter(
      slice =>
        objectsOf(slice.element['type']).some(type => stringsOf(type['profile']).some(one => one.replace(/\|.*/, '') === url)) || // prettier-ignore
        slice.children.some(child => child.name === 'url' && valueOf(child.element, 'fixed') === url),
    ),
  );
