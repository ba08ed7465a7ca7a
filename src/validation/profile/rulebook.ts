import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { compileRule } from '../../fhirpath/evaluate/rule.ts';
import type { Rule } from '../../fhirpath/evaluate/rule.ts';
import type { GlobalProfile } from '../../model/global-profiles.ts';
import { compileProfile } from './compile-profile.ts';
import { requiredProfiles } from './required-profiles.ts';
import type { FindSnapshot } from './snapshot.ts';
import { treeOf } from './tree.ts';
import type { Tree } from './tree.ts';
import { visit } from './visit.ts';
import type { BaseChecks, Rulebook, ProfileChecks } from './walk.ts';
import { compileChecks } from './checks.ts';
import { sourceOf } from './source.ts';

/**
 * The rules of R4 itself for the values of a type, beyond their structure: invariants, bindings, targets of references.
 * https://hl7.org/fhir/R4/conformance-rules.html
 */
function compileBase(definition: TypeDefinition, rulebook: Rulebook): BaseChecks {
  const tree = rulebook.baseTree(definition.name);
  if (tree === undefined) return { own: [], elements: new Map() };
  const type = definition.name.split('.')[0] ?? '';
  const source = sourceOf(`http://hl7.org/fhir/StructureDefinition/${type}`);
  const backbone = definition.name.includes('.');
  const compile = (one: Tree) => compileChecks(one, undefined, undefined, source, rulebook);
  return {
    own: backbone ? [] : compile(tree), // those of a backbone belong to its element
    elements: new Map(
      tree.children.map(child => {
        const content = child.content === undefined ? [] : compile(child.content);
        return [child.name, [...compile(child), ...content]];
      }),
    ),
  };
}

/** The sources of checks. */
export interface RulebookParts {
  readonly types: TypeDefinitions;
  readonly snapshot: FindSnapshot;
  /** The parts of the differential of a profile that cannot be applied, in sentences. */
  readonly problems?: (canonical: string) => readonly string[];
  /** The profiles that implementation guides require of all resources of a type. */
  readonly globals?: () => readonly GlobalProfile[];
}

/** Checks that are compiled at their first use, and cached; names of profiles that are not loaded are not. */
export function createRulebook({ types, snapshot, problems = () => [], globals = () => [] }: RulebookParts): Rulebook {
  const snapshots = cachedSnapshots(snapshot);
  const trees = new Map<string, Tree | undefined>();
  const bases = new Map<TypeDefinition, BaseChecks>();
  const profiles = new Map<string, ProfileChecks | undefined>();
  const rules = new Map<string, Rule>();
  const cached = new Map<string, readonly string[]>();

  /** The elements of a base type, those with children also by their paths. */
  const readTrees = (type: string): void => {
    const found = snapshots(`http://hl7.org/fhir/StructureDefinition/${type}`);
    const root = found && treeOf(found);
    trees.set(type, root);
    const add = (tree: Tree): void => {
      for (const child of tree.children) {
        if (child.children.length > 0) trees.set(String(child.element['path']), child);
        add(child);
      }
    };
    if (root !== undefined) add(root);
  };

  const cachedRule = (text: string, node: Node | undefined): Rule => {
    // A rule of a choice applies to all of its types.
    const choice = node?.element?.choice === true ? node.element : undefined;
    const key = `${choice?.path ?? node?.definition?.name ?? node?.code ?? ''} ${text}`;
    let rule = rules.get(key);
    if (rule === undefined) {
      const context = choice?.types.map(({ code, content }) => ({ code, definition: content ?? types.get(code) }));
      rule = compileRule(text, types, { context: context ?? (node && [node]) });
      rules.set(key, rule);
    }
    return rule;
  };

  const rulebook: Rulebook = {
    types,
    snapshot: snapshots,
    visit,
    required: requiredProfiles(globals, () => rulebook),
    problems(canonical) {
      const known = cached.get(canonical);
      if (known !== undefined) return known;
      const found = problems(canonical);
      if (profiles.has(canonical)) cached.set(canonical, found); // names of clients are not cached
      return found;
    },
    baseTree(name) {
      const type = name.split('.')[0] ?? '';
      if (!trees.has(type)) readTrees(type);
      return trees.get(name);
    },
    base(definition) {
      let checks = bases.get(definition);
      if (checks === undefined) {
        checks = compileBase(definition, rulebook);
        bases.set(definition, checks);
      }
      return checks;
    },
    profile(canonical) {
      if (profiles.has(canonical)) return profiles.get(canonical);
      const found = snapshots(canonical);
      if (found === undefined) return undefined; // names of clients are not cached
      profiles.set(canonical, undefined); // for one that refers to itself while it is compiled
      const compiled = found.specialization ? baseProfile(found) : compileProfile(found, rulebook);
      profiles.set(canonical, compiled);
      return compiled;
    },
    expression(text) {
      const rule = cachedRule(text, undefined);
      return rule.kind === 'compiled' ? rule.evaluate : undefined;
    },
    rule: (text, node) => cachedRule(text, node),
  };
  return rulebook;
}

/** A base type as a profile: every value is checked against it anyway. */
const baseProfile = (snapshot: NonNullable<ReturnType<FindSnapshot>>): ProfileChecks => ({
  url: snapshot.url,
  type: snapshot.type,
  snapshot,
  check: () => undefined,
});

function cachedSnapshots(find: FindSnapshot): FindSnapshot {
  const known = new Map<string, NonNullable<ReturnType<FindSnapshot>>>();
  return canonical => {
    const cached = known.get(canonical);
    if (cached !== undefined) return cached;
    const found = find(canonical);
    if (found !== undefined) known.set(canonical, found);
    return found;
  };
}
