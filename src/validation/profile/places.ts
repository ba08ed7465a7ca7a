import { isObject, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import { parseExpression } from '../../fhirpath/parse.ts';
import type { Expression } from '../../fhirpath/syntax.ts';
import type { Rulebook } from './walk.ts';
import { treeOf, valueOf } from './tree.ts';
import type { Tree } from './tree.ts';

/** An element of a slice at the end of a discriminator's path. */
export interface DiscriminatorPlace {
  readonly tree: Tree;
  /** That element in the type without the slice, if it is known. */
  readonly base: Tree | undefined;
  /** Fixed values and patterns of parent elements that apply to the values here: each is met by one of them. */
  readonly implied: readonly Implied[];
  /** That element within required slices (`coding:loinc` of `code.coding.code`): each is met by one of them. */
  readonly required: readonly DiscriminatorPlace[];
}

export interface Implied {
  readonly kind: 'fixed' | 'pattern';
  readonly value: unknown;
}

/** The elements of a slice at the end of a path; several if a step has alternatives. */
export function placesOf(path: string, slice: Tree, rulebook: Rulebook): readonly DiscriminatorPlace[] {
  let tree: Expression;
  try {
    tree = parseExpression(path);
  } catch {
    return [];
  }
  return stepTo(tree, placeOf(slice), rulebook);
}

const placeOf = (tree: Tree): DiscriminatorPlace => ({ tree, base: undefined, implied: [], required: [] });

function stepTo(tree: Expression, slice: DiscriminatorPlace, rulebook: Rulebook): readonly DiscriminatorPlace[] {
  switch (tree.kind) {
    case 'this':
      return [slice];
    case 'other':
      return tree.what === 'this' ? [slice] : [];
    case 'member': {
      const owners = tree.of === undefined ? [slice] : stepTo(tree.of, slice, rulebook);
      return owners.flatMap(owner => childrenOf(owner, tree.name, rulebook));
    }
    case 'call': {
      const owners = tree.of === undefined ? [slice] : stepTo(tree.of, slice, rulebook);
      const [argument] = tree.args;
      if (tree.name === 'resolve') return owners.flatMap(owner => targetTrees(owner.tree, rulebook).map(placeOf));
      if (tree.name === 'extension' && argument?.kind === 'literal')
        return owners.flatMap(owner => extensionPlaces(owner, String(argument.value), rulebook));
      if ((tree.name === 'ofType' || tree.name === 'as') && argument?.kind === 'member')
        return owners.flatMap(owner => [owner, ...slicesOfType(owner, argument.name)]);
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

function childrenOf(owner: DiscriminatorPlace, name: string, rulebook: Rulebook): readonly DiscriminatorPlace[] {
  const implied = impliedBelow(owner, name);
  const within = owner.required.flatMap(one => {
    const places = childrenOf(one, name, rulebook);
    return places.length === 1 ? places : []; // of alternatives none is required
  });
  const base = baseTrees(owner.tree, rulebook)[0]?.children.find(child => child.name === name);
  return childTrees(owner.tree, name, rulebook).map(tree => {
    const slices = tree.slices.filter(({ element }) => Number(element['min'] ?? 0) > 0);
    return { tree, base, implied, required: [...within, ...slices.map(slice => ({ ...placeOf(slice), base }))] };
  });
}

/** The part of a parent's condition that applies to a child; items of arrays one by one. */
function impliedBelow({ tree, implied }: DiscriminatorPlace, name: string): readonly Implied[] {
  const own = (['fixed', 'pattern'] as const).map(kind => ({ kind, value: valueOf(tree.element, kind) }));
  return [...implied, ...own].flatMap(({ kind, value }) => {
    const below = isObject(value) ? value[name] : undefined;
    if (below === undefined) return [];
    return Array.isArray(below) ? below.map((item: unknown) => ({ kind, value: item })) : [{ kind, value: below }];
  });
}

/** The child of an element in its snapshot, else in the snapshots of its types' profiles, else in that of its type. */
function childTrees(owner: Tree, name: string, rulebook: Rulebook): readonly Tree[] {
  const named = (tree: Tree | undefined): readonly Tree[] => tree?.children.filter(child => child.name === name) ?? [];
  const own = named(owner);
  if (own.length > 0) return own;
  const profiles = objectsOf(owner.element['type']).flatMap(type => stringsOf(type['profile']));
  const profiled = profiles.flatMap(profile => named(snapshotTree(profile, rulebook)));
  return profiled.length > 0 ? profiled : baseTrees(owner, rulebook).flatMap(named);
}

/**
 * The definitions without a profile from which the children of an element come; a contentReference leads to one too.
 */
function baseTrees({ element, content }: Tree, rulebook: Rulebook): readonly Tree[] {
  const nested = rulebook.baseTree(String((content?.element ?? element)['path']));
  if (nested !== undefined) return [nested];
  return objectsOf(element['type']).flatMap(type => rulebook.baseTree(String(type['code'])) ?? []);
}

const snapshotTree = (canonical: string, rulebook: Rulebook): Tree | undefined => {
  const snapshot = rulebook.snapshot(canonical);
  return snapshot && treeOf(snapshot);
};

const targetTrees = (owner: Tree, rulebook: Rulebook): readonly Tree[] =>
  objectsOf(owner.element['type'])
    .flatMap(type => stringsOf(type['targetProfile']))
    .flatMap(profile => {
      const tree = snapshotTree(profile, rulebook);
      // The root of a snapshot has no type; the discriminator needs it.
      return tree === undefined ? [] : [{ ...tree, element: { ...tree.element, type: [{ code: tree.name }] } }];
    });

const slicesOfType = ({ tree }: DiscriminatorPlace, type: string): readonly DiscriminatorPlace[] =>
  tree.slices.filter(slice => objectsOf(slice.element['type'])[0]?.['code'] === type).map(placeOf);

const extensionPlaces = (
  { tree }: DiscriminatorPlace,
  url: string,
  rulebook: Rulebook,
): readonly DiscriminatorPlace[] =>
  childTrees(tree, 'extension', rulebook)
    .flatMap(extension => extension.slices.filter(slice => isExtensionSlice(slice, url)))
    .map(placeOf);

const isExtensionSlice = (slice: Tree, url: string): boolean =>
  objectsOf(slice.element['type'])
    .flatMap(type => stringsOf(type['profile']))
    .some(one => one.replace(/\|.*/, '') === url) ||
  slice.children.some(child => child.name === 'url' && valueOf(child.element, 'fixed') === url);
