import type { Definitions } from '../../definitions/definitions.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { Decimals } from '../../fhir/json.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { globalProfiles } from '../../model/global-profiles.ts';
import type { GlobalProfile } from '../../model/global-profiles.ts';
import type { Model } from '../../model/model.ts';
import { printSnapshotProblem } from '../../model/snapshot/snapshot.ts';
import { snapshotsOf } from '../../model/snapshot/snapshots.ts';
import type { TerminologyServer } from '../../terminology/server.ts';
import { checkStructure } from '../structure.ts';
import { Questions } from '../../fhirpath/delegate/job.ts';
import { Budget } from '../../fhirpath/evaluate/environment.ts';
import { TooCostly } from '../../fhirpath/evaluate/errors.ts';
import { rootNode } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { run, runNow } from '../../fhirpath/delegate/run.ts';
import { validateWithAnswers } from './asking.ts';
import { Findings, Full } from './findings.ts';
import type { ValidationIssue, Weigh } from './findings.ts';
import type { Rulebook, Walk } from './walk.ts';
import { createRulebook } from './rulebook.ts';
import type { RulebookParts } from './rulebook.ts';
import { snapshotOf } from './snapshot.ts';
import type { FindSnapshot } from './snapshot.ts';
import { terminologyOf } from '../../terminology/loaded.ts';
import type { Terminology } from '../../terminology/bindings.ts';
import { visitResource } from './visit.ts';

type Issues = readonly ValidationIssue[];

/** Most rounds: answers may lead to further questions (whether a target conforms to a profile), but rarely. */
const rounds = 3;

/**
 * Validates, and if rules were delegated to fhirpath.js, runs them all there and validates again with the answers.
 * Returns no promise if nothing was delegated and `validate` returns none; fhirpath.js is not loaded then.
 */
function validateDelegating(validate: (questions: Questions) => Issues | Promise<Issues>): Issues | Promise<Issues> {
  const questions = new Questions();
  const first = validate(questions);
  return Array.isArray(first) && questions.open.length === 0 ? first : settled(first, questions, validate);
}

async function settled(
  first: Issues | Promise<Issues>,
  questions: Questions,
  validate: (questions: Questions) => Issues | Promise<Issues>,
): Promise<Issues> {
  let issues = await first;
  for (let round = 0; round < rounds && questions.open.length > 0; round++) {
    questions.settle(await run(questions.open));
    issues = await validate(questions);
  }
  return issues;
}

/** Validates without a promise: this thread waits for fhirpath.js. */
function validateDelegatingNow(validate: (questions: Questions) => Issues): Issues {
  const questions = new Questions();
  let issues = validate(questions);
  for (let round = 0; round < rounds && questions.open.length > 0; round++) {
    questions.settle(runNow(questions.open));
    issues = validate(questions);
  }
  return issues;
}

export type { ValidationIssue } from './findings.ts';

export interface Validator {
  /**
   * All findings about a resource: structure, R4's own rules, the profiles that it claims and those of the options. The
   * resource is valid if no issue is an error. This thread waits for fhirpath.js if a rule needs it.
   */
  validate(resource: unknown, options?: ValidateOptions): readonly ValidationIssue[];
  /**
   * Validates with the terminology server for questions that the loaded code systems leave undecided. Without a server,
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
  /** The most issues to list, 100 by default; another one reports the rest. At so many errors the checks end. */
  readonly limit?: number;
  /** The budget of the checks: visited values, 2,000,000 by default (about half a second). */
  readonly budget?: number | Budget;
  /** Milliseconds to wait for the terminology server, 10,000 by default. */
  readonly time?: number;
  /** The severity of each finding (policy.ts); that of its rule by default. Structural errors are always errors. */
  readonly weigh?: Weigh | undefined;
}

/** The dependencies of a validator. */
export interface ValidatorParts extends RulebookParts {
  readonly terminology: Terminology;
  readonly server?: TerminologyServer | undefined;
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
  return createValidatorOf({
    types,
    snapshot,
    problems,
    globals,
    terminology: terminologyOf(definitions).bindings,
    server,
  });
}

/** A validator of its parts. Each profile is compiled at its first use, and cached. */
function createValidatorOf(parts: ValidatorParts): Validator {
  const rulebook = createRulebook(parts);
  const { terminology, server } = parts;
  return {
    knows: canonical => rulebook.profile(canonical) !== undefined,
    problems: canonical => rulebook.problems(canonical),
    validate: (resource, options = {}) =>
      validateDelegatingNow(questions => validate(resource, options, rulebook, terminology, questions)),
    validateWithServer: (resource, options = {}) =>
      validateDelegating(questions => {
        const once = (asked: Terminology): readonly ValidationIssue[] =>
          validate(resource, options, rulebook, asked, questions);
        return server === undefined
          ? once(terminology)
          : validateWithAnswers(once, terminology, server, options.time ?? 10_000);
      }),
  };
}

function validate(
  resource: unknown,
  options: ValidateOptions,
  rulebook: Rulebook,
  terminology: Terminology,
  questions: Questions,
): readonly ValidationIssue[] {
  const { types } = rulebook;
  const limit = options.limit ?? 100;
  if (options.decimals === undefined && isDeeper(resource, deepest)) return [tooDeep]; // else the parser has checked it
  const name = isObject(resource) ? asString(resource['resourceType']) : undefined;
  const definition = name !== undefined && types.resourceTypes.has(name) ? types.get(name) : undefined;
  const decimals = options.decimals === undefined ? {} : { decimals: options.decimals };
  const structure = checkStructure(resource, { definitions: types }, options.type, { limit, ...decimals });
  if (definition === undefined || structure.length > limit) return structure;
  const findings = new Findings(limit - structure.length, [definition.name], options.weigh);
  const node = rootNode(resource, definition);
  const context = { resource: node, root: node, bundle: undefined };
  const { budget: given = 2_000_000 } = options;
  const budget = typeof given === 'number' ? new Budget(given) : given;
  const walk: Walk = {
    findings,
    context,
    rulebook,
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
  const isCut = !visitWithin(node, walk, options.profiles);
  // Rules are not evaluated on values with structural errors.
  const misshapen = new Set(structure.map(({ expression }) => expression));
  const reported = findings.issues.filter(issue => !misshapen.has(issue.expression) && !isSettled(issue, findings));
  const issues = [...structure, ...reported];
  return findings.left === 0 ? issues : [...issues, more(limit, isCut ? undefined : findings.left)];
}

/** Visits all of a resource, up to the end of the budget; false if it ended early, at the limit of errors. */
function visitWithin(node: Node, walk: Walk, profiles: readonly string[] | undefined): boolean {
  const { findings } = walk;
  try {
    visitResource(node, walk, profiles);
    return true;
  } catch (error) {
    if (error instanceof Full) return false;
    if (!(error instanceof TooCostly)) throw error;
  }
  const text = 'The validation exceeded its budget, so some rules were not checked.';
  findings.path.length = 1;
  try {
    findings.note({ severity: 'warning', code: 'too-costly', text, rule: 'budget' });
    return true;
  } catch (error) {
    if (error instanceof Full) return false;
    throw error;
  }
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

/** `left` is the number of findings that are not listed; undefined if it is not known. */
function more(limit: number, left: number | undefined): ValidationIssue {
  const rest = left === undefined ? 'the rest was not checked' : `there are ${left} more`;
  const text = `The first ${limit} findings are listed; ${rest}. Correct them and validate again.`;
  return { severity: 'information', code: 'incomplete', text };
}
