import { asString, isObject, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { EvaluationError, Undecided } from '../../fhirpath/evaluate/errors.ts';
import { nodesAt } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { isOf, requiredValueSet } from './binding.ts';
import { conformsTo } from './conform.ts';
import { holds, isSame } from './fixed.ts';
import { environmentOf } from './invariant.ts';
import type { Rulebook, Walk } from './walk.ts';
import { placesOf } from './places.ts';
import type { Implied, DiscriminatorPlace } from './places.ts';
import { typeNamedBy } from './target.ts';
import { valueOf } from './tree.ts';
import type { Tree } from './tree.ts';

/** True if the test is true for one item, false if it is false for all, else undefined. */
function any<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = false;
  for (const item of items) {
    const holds = test(item);
    if (holds === true) return true;
    if (holds === undefined) result = undefined;
  }
  return result;
}

/** True if the test is true for all items, false if it is false for one, else undefined. */
function every<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = true;
  for (const item of items) {
    const holds = test(item);
    if (holds === false) return false;
    if (holds === undefined) result = undefined;
  }
  return result;
}

/** Whether a value belongs to a slice; undefined if that is undecided. */
export type Match = (node: Node, walk: Walk) => boolean | undefined;

/**
 * Compiles the test whether a value belongs to a slice, from the slice's rules for the elements at the discriminator's
 * path. Undefined if the slice has no rule there, undecided for all values if the path leads nowhere.
 * https://hl7.org/fhir/R4/profiling.html#discriminator
 */
export function compileDiscriminator({ type, path }: JsonObject, slice: Tree, rulebook: Rulebook): Match | undefined {
  const text = asString(path) ?? '$this';
  const evaluate = rulebook.expression(text);
  const wanted = wantedOf(String(type), text, slice, rulebook);
  const named = type === 'type' ? typeNamed(text, slice, rulebook) : undefined;
  if (evaluate === undefined || wanted === 'nowhere') return () => undefined;
  if (wanted === undefined) return undefined;
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

/** Decides by the type that a reference names, if its target is not available; undefined for other paths. */
function typeNamed(path: string, slice: Tree, rulebook: Rulebook): Match | undefined {
  if (!/(^|\.)resolve\(\)$/.test(path)) return undefined;
  const held = path.replace(/\.?resolve\(\)$/, '');
  const evaluate = rulebook.expression(held === '' ? '$this' : held);
  const codes = placesOf(path, slice, rulebook).flatMap(({ tree }) => typesOf(tree));
  if (evaluate === undefined || codes.length === 0) return undefined;
  return (node, walk) =>
    any(held === '' ? [node] : evaluate([node], environmentOf(node, walk)), item => {
      const value = typeof item === 'object' && item.kind === 'node' ? item.value : undefined;
      const type = isObject(value) ? typeNamedBy(value, rulebook) : undefined;
      return type === undefined ? undefined : codes.some(code => isA(type, code, rulebook.types));
    });
}

const typesOf = ({ element }: Tree): readonly string[] => objectsOf(element['type']).map(({ code }) => String(code));

/** Decides by the values at the path. */
type ValuesTest = (found: readonly Node[], walk: Walk) => boolean | undefined;

function wantedOf(type: string, path: string, slice: Tree, rulebook: Rulebook): ValuesTest | 'nowhere' | undefined {
  // The reference itself names the profiles of its target.
  const held = type === 'profile' ? path.replace(/(^|\.)resolve\(\)$/, '') || '$this' : path;
  const places = placesOf(held, slice, rulebook);
  if (places.length === 0) return 'nowhere';
  const alternatives = places.flatMap(place => wantedAt(type, place, path.includes('resolve()'), rulebook) ?? []);
  if (alternatives.length === 0) return undefined;
  return (found, walk) => any(alternatives, wanted => wanted(found, walk));
}

function wantedAt(
  type: string,
  place: DiscriminatorPlace,
  resolved: boolean,
  rulebook: Rulebook,
): ValuesTest | undefined {
  const { element } = place.tree;
  switch (type) {
    case 'value':
    case 'pattern': {
      const needed = allNeeded(place, rulebook);
      return needed.length === 0
        ? undefined
        : (found, walk) => every(needed, match => any(found, node => match(node, walk)));
    }
    case 'exists':
      if (element['max'] === '0') return found => found.length === 0;
      return Number(element['min'] ?? 0) > 0 || place.implied.length > 0 ? found => found.length > 0 : undefined;
    case 'type': {
      const codes = typesOf(place.tree);
      return codes.length === 0
        ? undefined
        : found =>
            found.some(node => codes.some(code => isA(node.definition?.name ?? node.code, code, rulebook.types)));
    }
    case 'profile': {
      const types = objectsOf(element['type']);
      const profiles = types.flatMap(one => stringsOf(one[resolved ? 'targetProfile' : 'profile']));
      return profiles.length === 0
        ? undefined
        : (found, walk) => any(found, node => any(profiles, profile => conformsTo(node, profile, walk)));
    }
    default:
      return undefined;
  }
}

/** The conditions at a position, each met by one of the values there; empty if the slice has none. */
function allNeeded({ tree, base, implied, required }: DiscriminatorPlace, rulebook: Rulebook): readonly Match[] {
  const own = neededOf(tree, rulebook, 0);
  const said = [
    ...(own === undefined ? [] : [own]),
    ...implied.map(matchOf),
    ...required.flatMap(place => allNeeded(place, rulebook)),
  ];
  const valueSet = said.length === 0 ? requiredValueSet(tree) : undefined;
  // A binding of the base type does not distinguish the slice.
  return valueSet === undefined || (base !== undefined && requiredValueSet(base) === valueSet)
    ? said
    : [(node, { terminology }) => isOf(node, valueSet, terminology)];
}

const matchOf = ({ kind, value }: Implied): Match =>
  kind === 'fixed'
    ? node => isSame(node.value, value)
    : (node, { budget }) => holds(node.value, value, cost => budget.spend(cost));

/**
 * The condition that fixed values and patterns of an element, else of those below it, put on a value; undefined for
 * none.
 */
function neededOf(tree: Tree, rulebook: Rulebook, depth: number): Match | undefined {
  const needed = (['fixed', 'pattern'] as const).flatMap(kind => {
    const value = valueOf(tree.element, kind);
    return value === undefined ? [] : [matchOf({ kind, value })];
  });
  if (needed.length === 0 && depth < 4) {
    for (const child of tree.children) {
      const slices = child.slices.filter(slice => Number(slice.element['min'] ?? 0) > 0);
      for (const part of [child, ...slices]) {
        const below = neededOf(part, rulebook, depth + 1);
        if (below !== undefined) needed.push(belowOf(part, below, rulebook));
      }
    }
  }
  return needed.length === 0 ? undefined : (node, walk) => every(needed, match => match(node, walk));
}

function belowOf(child: Tree, needed: Match, { types }: Rulebook): Match {
  const optional = Number(child.element['min'] ?? 0) === 0;
  return (node, walk) => {
    const element = node.definition?.elements.get(child.name);
    if (element === undefined) return undefined;
    const found = nodesAt(node, element, types);
    walk.budget.spend(found.length);
    return found.length === 0 && optional ? true : any(found, one => needed(one, walk));
  };
}
