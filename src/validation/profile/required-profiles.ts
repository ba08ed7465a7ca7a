import { asObject, asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { GlobalProfile } from '../../model/global-profiles.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { nodesAt } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { FindRequired, Rulebook, RequiredProfile, Walk } from './walk.ts';
import { treeOf, valueOf } from './tree.ts';
import type { Tree } from './tree.ts';

/**
 * Finds the profiles that guides require of a resource: of all of its type, or of those with the codes that the profile
 * fixes (see the extension `selected-by`). The requirements of a type are read when its first resource is validated.
 */
export function requiredProfiles(globals: () => readonly GlobalProfile[], rulebook: () => Rulebook): FindRequired {
  const byType = new Map<string, readonly Selector[]>();
  let all: readonly GlobalProfile[] | undefined;
  return (node, walk) => {
    let selectors = byType.get(node.code);
    if (selectors === undefined) {
      all ??= globals();
      selectors = all
        .filter(({ type }) => isA(node.code, type, rulebook().types))
        .map(global => selectorOf(global, rulebook()));
      byType.set(node.code, selectors);
    }
    return selectors.length === 0 ? none : select(selectors, node, walk);
  };
}

const none: readonly RequiredProfile[] = [];

interface Selector extends GlobalProfile {
  /** Codes that the profile fixes, as `system|code`. */
  readonly codes: ReadonlySet<string>;
  readonly binding: JsonObject;
}

function selectorOf(global: GlobalProfile, rulebook: Rulebook): Selector {
  const snapshot = global.selectedBy === undefined ? undefined : rulebook.snapshot(global.profile);
  let tree = snapshot && treeOf(snapshot);
  for (const name of (global.selectedBy ?? '').split('.').slice(1))
    tree = tree?.children.find(child => child.name === name);
  return {
    ...global,
    codes: new Set(tree === undefined ? [] : fixedCodes(tree)),
    binding: asObject(tree?.element['binding']),
  };
}

/** The codes of a CodeableConcept or a Coding that a profile fixes, also by slices of its codings. */
function fixedCodes(tree: Tree): readonly string[] {
  const codings = tree.children.filter(({ name }) => name === 'coding').flatMap(coding => [coding, ...coding.slices]);
  return [tree, ...codings].flatMap(one => {
    const said = asObject(valueOf(one.element, 'fixed') ?? valueOf(one.element, 'pattern'));
    const part = (name: string): unknown => {
      const child = one.children.find(other => other.name === name);
      return child && (valueOf(child.element, 'fixed') ?? valueOf(child.element, 'pattern'));
    };
    return [...objectsOf(said['coding']), said, { system: part('system'), code: part('code') }].flatMap(codeOf);
  });
}

function codeOf({ system, code }: JsonObject): readonly string[] {
  return typeof system === 'string' && typeof code === 'string' ? [`${system}|${code}`] : [];
}

function select(selectors: readonly Selector[], node: Node, walk: Walk): readonly RequiredProfile[] {
  const found: RequiredProfile[] = [];
  const read = new Map<string, readonly string[]>();
  const codesOf = (path: string): readonly string[] => {
    const codes = read.get(path) ?? codesAt(node, path, walk);
    read.set(path, codes);
    return codes;
  };
  const fixing = new Set<string>();
  for (const { guide, profile, selectedBy, codes } of selectors) {
    if (selectedBy === undefined) {
      found.push({ profile, advice: false, reason: `${guide} requires \`${profile}\` of every ${node.code}.` });
      continue;
    }
    const code = codes.size === 0 ? undefined : codesOf(selectedBy).find(one => codes.has(one));
    if (code === undefined) continue;
    fixing.add(guide);
    found.push({ profile, advice: false, reason: because(guide, profile, code) });
  }
  for (const { guide, profile, selectedBy, codes, binding } of selectors) {
    const valueSet = asString(binding['valueSet']);
    if (selectedBy === undefined || codes.size > 0 || valueSet === undefined || fixing.has(guide)) continue;
    const code = codesOf(selectedBy).find(one => isIn(valueSet, one, walk));
    if (code === undefined) continue;
    found.push({ profile, advice: binding['strength'] !== 'required', reason: because(guide, profile, code) });
  }
  return found;
}

const because = (guide: string, profile: string, code: string): string =>
  `\`${profile}\` was checked since ${guide} requires it of resources with the code \`${code}\`.`;

/** Uses loaded definitions only: otherwise every code would cause a request to a terminology server. */
function isIn(valueSet: string, coded: string, { terminology }: Walk): boolean {
  const at = coded.lastIndexOf('|');
  return terminology.containsHere(valueSet, coded.slice(at + 1), coded.slice(0, at)) === true;
}

/** The codes of an element of a resource. */
function codesAt(node: Node, path: string, { rulebook: { types }, budget }: Walk): readonly string[] {
  let nodes: readonly Node[] = [node];
  for (const name of path.split('.').slice(1))
    nodes = nodes.flatMap(owner => {
      const element = owner.definition?.elements.get(name);
      return element === undefined ? [] : nodesAt(owner, element, types);
    });
  const codes = nodes.flatMap(({ value }) =>
    isObject(value) ? [...objectsOf(value['coding']), value].flatMap(codeOf) : [],
  );
  budget.spend(codes.length);
  return codes;
}
