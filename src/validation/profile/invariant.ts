import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { Delegated, EvaluationError, TooCostly, Undecided } from '../../fhirpath/evaluate/errors.ts';
import type { Environment } from '../../fhirpath/evaluate/environment.ts';
import { valueAt } from '../../fhirpath/delegate/job.ts';
import type { JobResult } from '../../fhirpath/delegate/job.ts';
import type { Rule } from '../../fhirpath/evaluate/rule.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { condition } from '../../fhirpath/evaluate/operators.ts';
import { shorten } from '../report.ts';
import { isOf } from './binding.ts';
import { conformsTo } from './conform.ts';
import { corrections, exceptions } from './invariant-exceptions.ts';
import { fastRules } from './fast-rules.ts';
import type { Rulebook, ValueCheck, Walk } from './walk.ts';
import { resolve } from './resolve.ts';
import type { ProfileSource } from './source.ts';
import type { Tree } from './tree.ts';

/** Rules that the walk checks on every value. */
const everywhere: ReadonlySet<string> = new Set(['ele-1', 'ext-1']);

/**
 * The invariants of an element, except those of its base. An empty result counts as false; an undecided one is reported
 * as information. https://hl7.org/fhir/R4/conformance-rules.html#constraints
 */
export function compileInvariants(
  tree: Tree,
  bases: readonly (Tree | undefined)[],
  source: ProfileSource,
  rulebook: Rulebook,
): readonly ValueCheck[] {
  const given = new Set(bases.flatMap(base => (base === undefined ? [] : constraintsOf(base).map(keyOf))));
  return constraintsOf(tree)
    .filter(constraint => !everywhere.has(String(constraint['key'])) && !given.has(keyOf(constraint)))
    .flatMap(constraint => compileInvariant(constraint, source, rulebook) ?? []);
}

const constraintsOf = ({ element }: Tree): readonly JsonObject[] => objectsOf(element['constraint']);
const keyOf = ({ key, expression }: JsonObject): string => `${String(key)} ${String(expression)}`;

function compileInvariant(constraint: JsonObject, source: ProfileSource, rulebook: Rulebook): ValueCheck | undefined {
  const key = String(constraint['key']);
  const published = asString(constraint['expression']);
  if (published === undefined) return undefined; // XPath only
  const written = corrections.get(published)?.expression ?? published;
  const severity = constraint['severity'] === 'warning' ? 'warning' : 'error';
  const human = asString(constraint['human'])?.trim() ?? key;
  const textOf = (sentence: string): string => `${sentence.replace(/\.?$/, '.')} (${key})`;
  const text = textOf(human);
  const { decide: exception, wrong } = exceptions.get(keyOf(constraint)) ?? {};
  const fast = fastRules.get(keyOf(constraint)) ?? exception;
  const profile = source.url;
  if (fast !== undefined) {
    return (node, walk) => {
      if (fast(node, walk)) return;
      const own = wrong === undefined ? text : (): string => textOf(wrong(node));
      walk.findings.add({ severity, code: 'invariant', text: own, profile, rule: key });
    };
  }
  let rule: Rule | undefined;
  let last: Node['definition'];
  return (node, walk) => {
    if (rule === undefined || node.definition !== last) {
      rule = rulebook.rule(written, node);
      last = node.definition;
    }
    const holds = decide(rule, node, walk);
    if (holds === undefined || holds === true) return;
    if (typeof holds === 'string') undecided(walk, key, profile, holds);
    else if (holds instanceof TooCostly) tooCostly(walk, key, profile, holds);
    else walk.findings.add({ severity, code: 'invariant', text, profile, rule: key });
  };
}

/**
 * True if the rule yields true, or one value that is not a boolean; false if it yields false or nothing; a text says
 * why that is undecided, TooCostly that it takes too long. Undefined if fhirpath.js has not answered yet.
 */
export function decide(rule: Rule, node: Node, walk: Walk): boolean | string | TooCostly | undefined {
  if (rule.kind === 'refused') return rule.problems[0].message.replace(/\.$/, '');
  if (rule.kind === 'delegated') return askDelegate(rule, node, walk);
  try {
    return condition(rule.evaluate([node], environmentOf(node, walk))) === true;
  } catch (error) {
    if (error instanceof Delegated) return askDelegate(rule, node, walk);
    if (error instanceof Undecided) return `${error.message} is not available`;
    if (error instanceof EvaluationError) return error.message;
    if (error instanceof SyntaxError) return 'its pattern is not supported';
    if (error instanceof TooCostly && error.message !== '') return error;
    throw error;
  }
}

/** Cost of one evaluation by fhirpath.js in the budget, as a number of visited values. */
const costOfDelegation = 500;

function askDelegate({ text }: Rule, node: Node, walk: Walk): boolean | string | TooCostly | undefined {
  const { context, budget, questions } = walk;
  budget.spend(costOfDelegation);
  const { value, sibling, code, definition } = node;
  const answer = questions.ask({
    expression: text,
    focus: { value, sibling, code, type: definition?.name ?? code },
    resource: asObject(context.resource.value),
    rootResource: asObject(context.root.value),
    resolve: 'contained',
  });
  if (answer === undefined) return undefined;
  switch (answer.kind) {
    case 'failed':
      return `fhirpath.js reports: ${shorten(answer.message)}`;
    case 'late':
      return new TooCostly(`it takes longer than ${answer.milliseconds} ms`);
    case 'results': {
      const [first, ...others] = answer.results;
      if (others.length > 0) return `one value was expected, found ${answer.results.length}`;
      return first !== undefined && first.value !== false && !isFalse(first, node, walk);
    }
    default:
      return answer satisfies never;
  }
}

/** A boolean of the record. */
function isFalse({ type, place }: JobResult, node: Node, walk: Walk): boolean {
  return type === 'boolean' && place !== undefined && valueAt(place, node.value, walk.context.resource.value) === false;
}

export function environmentOf(node: Node, walk: Walk): Environment {
  const { context, rulebook, budget } = walk;
  return {
    types: rulebook.types,
    resource: context.resource,
    rootResource: context.root,
    context: node,
    budget,
    resolve: reference => {
      const text =
        typeof reference.value === 'string' ? reference.value : asString(asObject(reference.value)['reference']);
      return text === undefined ? undefined : resolve(text, walk);
    },
    memberOf: (item, valueSet) => isOf(item, valueSet, walk.terminology),
    conformsTo: (item, profile) => conformsTo(item, profile, walk),
    this: node,
    index: 0,
    total: [],
  };
}

function undecided({ findings }: Walk, key: string, profile: string, why: string): void {
  const text = `The rule ${key} was not checked: ${why}.`;
  findings.note({ severity: 'information', code: 'informational', text, profile, rule: `undecided ${key}` });
}

/** A warning, since the rule may be violated; a policy that enforces rejects it. */
function tooCostly({ findings }: Walk, key: string, profile: string, { message }: TooCostly): void {
  const why = reasons[message] ?? message;
  const text = `The rule ${key} was not checked: ${why}.`;
  findings.note({ severity: 'warning', code: 'too-costly', text, profile, rule: `undecided ${key}` });
}

const reasons: Readonly<Record<string, string>> = {
  pattern: 'its pattern takes too long on this text',
  text: 'a text that it builds is too long',
};
