import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { ElementDefinition, TypeDefinition } from '../../model/element.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { compileChecks } from './checks.ts';
import { nodesAt } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { inContextOf } from './resource-context.ts';
import type { Rulebook, ProfileChecks, ValueCheck, Walk } from './walk.ts';
import { compileSlicing } from './slicing.ts';
import type { SlicingCheck } from './slicing.ts';
import type { Snapshot } from './snapshot.ts';
import { sourceOf } from './source.ts';
import type { ProfileSource } from './source.ts';
import { treeOf } from './tree.ts';
import type { Tree } from './tree.ts';
import { at } from './walk.ts';

/**
 * Compiles a profile's snapshot to its requirements beyond the base definitions, which every value is checked against
 * anyway. https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export function compileProfile(snapshot: Snapshot, rulebook: Rulebook): ProfileChecks | undefined {
  const tree = treeOf(snapshot);
  const definition = rulebook.types.get(snapshot.type);
  if (tree === undefined || definition === undefined) return undefined;
  const source = sourceOf(snapshot.url);
  const check = compileElement(tree, rulebook.baseTree(snapshot.type), definition, { source, rulebook });
  return { url: snapshot.url, type: snapshot.type, snapshot, check: check ?? (() => undefined) };
}

interface Compiling {
  readonly source: ProfileSource;
  readonly rulebook: Rulebook;
}

/** The rules of a profile for the values of an element, with those below them; undefined for none. */
function compileElement(
  tree: Tree,
  base: Tree | undefined,
  definition: TypeDefinition | undefined,
  compiling: Compiling,
): ValueCheck | undefined {
  const { source, rulebook } = compiling;
  const typeRoot = definition && rulebook.baseTree(definition.name);
  const checks = compileChecks(tree, base, typeRoot, source, rulebook);
  const groups = definition === undefined ? [] : compileChildren(tree, base, definition, compiling);
  if (checks.length === 0 && groups.length === 0) return undefined;
  const own: ValueCheck = (node, walk) => {
    walk.budget.spend(1);
    for (const check of checks) check(node, walk);
  };
  const below: ValueCheck = (node, walk) => {
    for (const group of groups) group(node, walk);
  };
  const run: ValueCheck = (node, walk) => {
    own(node, walk);
    below(node, walk);
  };
  if (definition?.kind !== 'resource') return run;
  if (!String(tree.element['path']).includes('.')) return (node, walk) => inContextOf(node, walk, run);
  // What is said of `contained` or `entry.resource` is said within the resource that has the element.
  return (node, walk) => {
    own(node, walk);
    inContextOf(node, walk, below);
  };
}

/**
 * The rules of a profile for the children of an element. A contentReference has none: it leads to the definition
 * without the profile. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.contentReference
 */
function compileChildren(
  tree: Tree,
  base: Tree | undefined,
  definition: TypeDefinition,
  compiling: Compiling,
): readonly ValueCheck[] {
  const own = base?.content ?? base;
  const baseOwner = own !== undefined && own.children.length > 0 ? own : compiling.rulebook.baseTree(definition.name);
  return tree.children.flatMap(child => {
    const element = definition.elements.get(child.name) ?? definition.properties.get(child.name)?.element;
    if (element === undefined) return [];
    const baseChild = baseOwner?.children.find(({ name }) => name === element.name);
    return compileGroup(child, baseChild, element, compiling) ?? [];
  });
}

/** One element of an object: its cardinality, types, slices, and the rules for its values. */
function compileGroup(
  child: Tree,
  base: Tree | undefined,
  element: ElementDefinition,
  compiling: Compiling,
): ValueCheck | undefined {
  const { rulebook, source } = compiling;
  const { types } = rulebook;
  const allowed = narrowedTypes(child, element);
  const min = Number(child.element['min'] ?? 0);
  const max = maxOf(child);
  const definition = definitionOf(child, element, compiling);
  const check = compileElement(child, base, definition, compiling);
  const slicing: SlicingCheck | undefined = compileSlicing(
    child,
    Math.min(max, element.max),
    slice => compileElement(slice, base, definitionOf(slice, element, compiling), compiling),
    source,
    rulebook,
  );
  const few = min > element.min ? min : 0;
  const many = max < element.max ? max : Infinity;
  if (few === 0 && many === Infinity && allowed === undefined && check === undefined && slicing === undefined)
    return undefined;
  const name = child.choice ? `${child.name}[x]` : child.name;
  const rule = source.id(child.element);
  const from = `(profile ${source.url}).`;
  const report = (walk: Walk, kind: string, code: 'required' | 'structure', text: string): void =>
    walk.findings.add({ severity: 'error', code, text, profile: source.url, rule: `${rule} ${kind}` });
  // A choice that is written with its type (`valueQuantity`) constrains values of that type only.
  const typed = child.name !== element.name;
  const wantedProperty = element.types.find(({ property }) => property === child.name);
  return (owner, walk) => {
    const all = nodesAt(owner, element, types);
    const nodes = typed ? all.filter(({ code }) => code === wantedProperty?.code) : all;
    if (nodes.length < few || nodes.length > many) {
      walk.findings.path.push(element.name);
      if (nodes.length < few)
        report(
          walk,
          'min',
          'required',
          `\`${name}\` is required${few === 1 ? '' : ` ${few} times, found ${nodes.length}`} ${from}`,
        );
      else if (many === 0) report(walk, 'max', 'structure', `\`${name}\` is not allowed ${from}`);
      else
        report(walk, 'max', 'structure', `\`${name}\` is allowed ${many} times at most, found ${nodes.length} ${from}`);
      walk.findings.path.pop();
    }
    for (const node of nodes) {
      if (allowed !== undefined && !fits(node, allowed, rulebook))
        at(node, walk, () => {
          const wanted = allowed.map(code => `\`${code}\``).join(', ');
          report(walk, 'type', 'structure', `This must have the type ${wanted}, not \`${node.code}\` ${from}`);
        });
      else if (check !== undefined) at(node, walk, check);
    }
    // Values of another type are reported already.
    slicing?.(allowed === undefined ? nodes : nodes.filter(node => fits(node, allowed, rulebook)), walk);
  };
}

const maxOf = ({ element }: Tree): number => (element['max'] === '*' ? Infinity : Number(element['max'] ?? Infinity));

const fits = (node: Node, allowed: readonly string[], { types }: Rulebook): boolean =>
  allowed.some(code => isA(node.code, code, types));

/** The types that a profile allows of those of the element; undefined if it excludes none. */
function narrowedTypes(child: Tree, element: ElementDefinition): readonly string[] | undefined {
  const codes = codesOf(child);
  if (codes.length === 0 || codes.some(code => code.startsWith('http:'))) return undefined;
  const narrower = element.types.some(({ code }) => !codes.includes(code));
  return narrower && child.name === element.name ? [...new Set(codes)] : undefined;
}

const codesOf = ({ element }: Tree): readonly string[] =>
  objectsOf(element['type']).flatMap(({ code }) => asString(code) ?? []);

/** The definition of the values of an element, for the levels below; of several types, their common part. */
function definitionOf(child: Tree, element: ElementDefinition, { rulebook }: Compiling): TypeDefinition | undefined {
  const typed = element.types.find(({ property }) => child.name !== element.name && property === child.name);
  const codes = typed === undefined ? codesOf(child).filter(code => !code.startsWith('http:')) : [typed.code];
  const known = element.types.filter(({ code }) => codes.includes(code));
  const types = codes.length === 0 ? element.types : known;
  const [first] = types;
  if (types.length > 1) return rulebook.types.get('Element');
  if (first === undefined) return codes[0] === undefined ? undefined : rulebook.types.get(codes[0]);
  return first.content ?? rulebook.types.get(first.code);
}
