import type { Definitions } from '../../definitions/definitions.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { Decimals } from '../../fhir/json.ts';
import type { TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import { globalProfiles } from '../../model/global-profiles.ts';
import type { GlobalProfile } from '../../model/global-profiles.ts';
import type { Model } from '../../model/model.ts';
import { printSnapshotProblem } from '../../model/snapshot/snapshot.ts';
import { snapshotsOf } from '../../model/snapshot/snapshots.ts';
import type { TerminologyServer } from '../../terminology/server.ts';
import { checkStructure } from '../structure.ts';
import { validateWithAnswers } from './asking.ts';
import { compileBase } from './compile-base.ts';
import { compileProfile } from './compile-profile.ts';
import { validateDelegating, validateDelegatingNow } from './delegating.ts';
import type { Questions } from '../../fhirpath/delegate/questions.ts';
import { Budget } from '../../fhirpath/evaluate/environment.ts';
import { TooCostly } from '../../fhirpath/evaluate/errors.ts';
import { rootNode } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { compileRule } from '../../fhirpath/evaluate/rule.ts';
import type { Rule } from '../../fhirpath/evaluate/rule.ts';
import { Findings } from './findings.ts';
import type { ValidationIssue, Weigh } from './findings.ts';
import type { BaseChecks, Kit, ProfileChecks, Walk } from './walk.ts';
import { requiredProfiles } from './required-profiles.ts';
import { snapshotOf } from './snapshot.ts';
import type { FindSnapshot } from './snapshot.ts';
import { createTerminology } from './terminology.ts';
import type { Terminology } from './terminology.ts';
import { treeOf } from './tree.ts';
import type { Tree } from './tree.ts';
import { visit, visitResource } from './visit.ts';

export type { ValidationIssue } from './findings.ts';

export interface Validator {
  /**
   * All findings about a resource: structure, R4's own rules, the profiles that it claims and those of the options. The
   * resource is valid if no issue is an error. This thread waits for fhirpath.js if a rule needs it.
   */
  validate(resource: unknown, options?: ValidateOptions): readonly ValidationIssue[];
  /**
   * The same, with the terminology server for questions that the loaded code systems leave undecided. Without a server,
   * and if nothing is undecided or delegated to fhirpath.js, this returns no promise. This thread never waits for
   * fhirpath.js.
   */
  validateWithServer(
    resource: unknown,
    options?: ValidateOptions,
  ): readonly ValidationIssue[] | Promise<readonly ValidationIssue[]>;
  /** Whether a profile is loaded and has a snapshot. */
  knows(canonical: string): boolean;
  /** Why a loaded profile has no snapshot, or an incomplete one; sentences. */
  problems(canonical: string): readonly string[];
}

export interface ValidateOptions {
  /** Profiles to check in addition to those that the resource claims. */
  readonly profiles?: readonly string[];
  /** The type that it must have. */
  readonly type?: string;
  /** The parser's texts of numbers, if it ran. */
  readonly decimals?: Decimals;
  /** The most issues to list, 100 by default; another one has the number of the rest. */
  readonly limit?: number;
  /** The budget of the checks: visited values, 2,000,000 by default (about half a second). */
  readonly budget?: number | Budget;
  /** Milliseconds to wait for the terminology server, 10,000 by default. */
  readonly time?: number;
  /** The severity of each finding (policy.ts); that of its rule by default. Structural errors are always errors. */
  readonly weigh?: Weigh | undefined;
}

/** The dependencies of a validator. */
export interface ValidatorParts {
  readonly types: TypeDefinitions;
  readonly snapshot: FindSnapshot;
  readonly terminology: Terminology;
  readonly server?: TerminologyServer | undefined;
  /** The parts of the differential of a profile that cannot be applied, in sentences. */
  readonly problems?: (canonical: string) => readonly string[];
  /** The profiles that implementation guides require of all resources of a type. */
  readonly globals?: () => readonly GlobalProfile[];
}

/**
 * A validator over loaded definitions; a profile without a snapshot is checked by the snapshot that its differential
 * generates. Only `validateWithServer` calls `server`. `snapshots` are those of the definitions, if some have been
 * generated already.
 */
export function createValidator(
  definitions: Definitions,
  types: TypeDefinitions,
  server?: TerminologyServer,
  snapshots: Model['snapshot'] = snapshotsOf(definitions),
): Validator {
  // A profile that a client names is looked up only if it is loaded, so that unknown names are not cached.
  const find = (canonical: string): ReturnType<Model['snapshot']> =>
    definitions.find('StructureDefinition', canonical) === undefined ? undefined : snapshots(canonical);
  const snapshot: FindSnapshot = canonical => {
    const found = find(canonical);
    return found && snapshotOf(found.structure, found.elements);
  };
  const problems = (canonical: string): readonly string[] =>
    (find(canonical)?.problems ?? []).map(problem => printSnapshotProblem(canonical, problem));
  const globals = (): readonly GlobalProfile[] => globalProfiles(definitions);
  return createValidatorOf({ types, snapshot, problems, globals, terminology: createTerminology(definitions), server });
}

/** A validator of its parts. Each profile is compiled at its first use, and cached. */
export function createValidatorOf(parts: ValidatorParts): Validator {
  const kit = createKit(parts);
  const { terminology, server } = parts;
  return {
    knows: canonical => kit.profile(canonical) !== undefined,
    problems: canonical => kit.problems(canonical),
    validate: (resource, options = {}) =>
      validateDelegatingNow(questions => validate(resource, options, kit, terminology, questions)),
    validateWithServer: (resource, options = {}) =>
      validateDelegating(questions => {
        const once = (asked: Terminology): readonly ValidationIssue[] =>
          validate(resource, options, kit, asked, questions);
        return server === undefined
          ? once(terminology)
          : validateWithAnswers(once, terminology, server, options.time ?? 10_000);
      }),
  };
}

function validate(
  resource: unknown,
  options: ValidateOptions,
  kit: Kit,
  terminology: Terminology,
  questions: Questions,
): readonly ValidationIssue[] {
  const { types } = kit;
  const limit = options.limit ?? 100;
  if (isDeeper(resource, deepest)) return [tooDeep];
  const name = isObject(resource) ? asString(resource['resourceType']) : undefined;
  const definition = name !== undefined && types.resourceTypes.has(name) ? types.get(name) : undefined;
  const decimals = options.decimals === undefined ? {} : { decimals: options.decimals };
  const structure = checkStructure(resource, { definitions: types }, options.type, { limit, ...decimals });
  if (definition === undefined || structure.length > limit) return structure;
  const findings = new Findings(limit - structure.length, [definition.name], options.weigh);
  const node = rootNode(resource, definition);
  const frame = { resource: node, root: node, bundle: undefined };
  const { budget: given = 2_000_000 } = options;
  const budget = typeof given === 'number' ? new Budget(given) : given;
  const walk: Walk = {
    findings,
    frame,
    kit,
    terminology,
    budget,
    questions,
    running: new Map(),
    conforming: new Map(),
    trials: 0,
    ids: new Set(),
    assumptions: 0,
    targets: new Map(),
  };
  try {
    visitResource(node, walk, options.profiles);
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error;
    const text = 'The validation exceeded its budget, so some rules were not checked.';
    findings.path.length = 1;
    findings.note({ severity: 'warning', code: 'too-costly', text, rule: 'budget' });
  }
  // Rules are not evaluated on values with structural errors.
  const misshapen = new Set(structure.map(({ expression }) => expression));
  const reported = findings.issues.filter(issue => !misshapen.has(issue.expression) && !isSettled(issue, findings));
  const issues = [...structure, ...reported];
  return findings.left === 0 ? issues : [...issues, more(findings.left, limit)];
}

/** A warning of an extensible binding of R4 where a profile requires its own code and has it. */
const isSettled = ({ severity, code, rule = '', expression = '' }: ValidationIssue, { settled }: Findings): boolean =>
  settled.size > 0 &&
  severity === 'warning' &&
  code === 'code-invalid' &&
  rule.endsWith(' binding') &&
  settled.has(expression);

/** Deeper than our parser allows, far below the limit of the stack. */
const deepest = 200;

const tooDeep: ValidationIssue = {
  severity: 'error',
  code: 'too-costly',
  text: `Objects and arrays nest more than ${deepest} levels deep; nothing else was checked.`,
};

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some(item => isDeeper(item, levels - 1));
  // an object of JSON
  for (const name in value) if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}

const more = (left: number, limit: number): ValidationIssue => ({
  severity: 'information',
  code: 'incomplete',
  text: `The first ${limit} findings are listed; there are ${left} more. Correct them and validate again.`,
});

function createKit({ types, snapshot, problems = () => [], globals = () => [] }: ValidatorParts): Kit {
  const snapshots = keeping(snapshot);
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

  const keptRule = (text: string, node: Node | undefined): Rule => {
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

  const kit: Kit = {
    types,
    snapshot: snapshots,
    visit,
    required: requiredProfiles(globals, () => kit),
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
        checks = compileBase(definition, kit);
        bases.set(definition, checks);
      }
      return checks;
    },
    profile(canonical) {
      if (profiles.has(canonical)) return profiles.get(canonical);
      const found = snapshots(canonical);
      if (found === undefined) return undefined; // names of clients are not cached
      profiles.set(canonical, undefined); // for one that refers to itself while it is compiled
      const compiled = found.specialization ? baseProfile(found) : compileProfile(found, kit);
      profiles.set(canonical, compiled);
      return compiled;
    },
    expression(text) {
      const rule = keptRule(text, undefined);
      return rule.kind === 'compiled' ? rule.evaluate : undefined;
    },
    rule: (text, node) => keptRule(text, node),
  };
  return kit;
}

/** A base type as a profile: every value is checked against it anyway. */
const baseProfile = (snapshot: NonNullable<ReturnType<FindSnapshot>>): ProfileChecks => ({
  url: snapshot.url,
  type: snapshot.type,
  snapshot,
  check: () => undefined,
});

function keeping(find: FindSnapshot): FindSnapshot {
  const known = new Map<string, NonNullable<ReturnType<FindSnapshot>>>();
  return canonical => {
    const kept = known.get(canonical);
    if (kept !== undefined) return kept;
    const found = find(canonical);
    if (found !== undefined) known.set(canonical, found);
    return found;
  };
}
