import { asString, objectsOf } from '../../definitions/json-object.ts';
import type { JsonObject } from '../../definitions/json-object.ts';
import { asObject } from '../../definitions/json-object.ts';
import { isOf } from './binding.ts';
import { conformsTo } from './conform.ts';
import { EvaluationError, TooCostly, Undecided } from '../../fhirpath/evaluate/environment.ts';
import type { Environment, Evaluate } from '../../fhirpath/evaluate/environment.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { condition } from '../../fhirpath/evaluate/operators.ts';
import { exceptions } from './invariant-exceptions.ts';
import { fastRules } from './fast-rules.ts';
import type { Kit } from './kit.ts';
import { resolve } from './resolve.ts';
import type { Source } from './source.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck, Walk } from './walk.ts';

/** Rules that the walk itself checks on every value. */
const everywhere: ReadonlySet<string> = new Set(['ele-1', 'ext-1']);

/**
 * The invariants of an element, without those that its base has. What is empty counts as held; what cannot be decided is told
 * as information. https://hl7.org/fhir/R4/conformance-rules.html#constraints
 */
export function compileInvariants(
  tree: Tree,
  bases: readonly (Tree | undefined)[],
  source: Source,
  kit: Kit,
): readonly ValueCheck[] {
  const given = new Set(bases.flatMap(base => (base === undefined ? [] : constraintsOf(base).map(keyOf))));
  return constraintsOf(tree)
    .filter(constraint => !everywhere.has(String(constraint['key'])) && !given.has(keyOf(constraint)))
    .flatMap(constraint => compileInvariant(constraint, source, kit) ?? []);
}

const constraintsOf = ({ element }: Tree): readonly JsonObject[] => objectsOf(element['constraint']);
const keyOf = ({ key, expression }: JsonObject): string => `${String(key)} ${String(expression)}`;

function compileInvariant(constraint: JsonObject, source: Source, kit: Kit): ValueCheck | undefined {
  const key = String(constraint['key']);
  const written = asString(constraint['expression']);
  if (written === undefined) return undefined; // XPath only
  const severity = constraint['severity'] === 'warning' ? 'warning' : 'error';
  const human = asString(constraint['human'])?.trim() ?? key;
  const text = `${human.replace(/\.?$/, '.')} (${key})`;
  const fast = fastRules.get(keyOf(constraint)) ?? exceptions.get(keyOf(constraint))?.decide;
  const profile = source.url;
  if (fast !== undefined) {
    return (node, walk) => {
      if (!fast(node, walk)) walk.findings.add({ severity, code: 'invariant', text, profile, rule: key });
    };
  }
  let evaluate: Evaluate | undefined;
  let compiled = false;
  return (node, walk) => {
    if (!compiled) {
      evaluate = kit.expression(written);
      compiled = true;
    }
    if (evaluate === undefined) {
      undecided(walk, key, profile, 'its expression is not understood here');
      return;
    }
    const holds = decide(evaluate, node, walk);
    if (typeof holds === 'string') undecided(walk, key, profile, holds);
    else if (holds instanceof TooCostly) tooCostly(walk, key, profile, holds);
    else if (!holds) walk.findings.add({ severity, code: 'invariant', text, profile, rule: key });
  };
}

/** True where the expression holds or is empty; a text says why that cannot be decided, TooCostly that one part of it takes too long. */
export function decide(evaluate: Evaluate, node: Node, walk: Walk): boolean | string | TooCostly {
  try {
    return condition(evaluate([node], environmentOf(node, walk))) !== false;
  } catch (error) {
    if (error instanceof Undecided) return `${error.message} is not at hand`;
    if (error instanceof EvaluationError) return error.message;
    if (error instanceof SyntaxError) return 'its pattern is not understood here';
    if (error instanceof TooCostly && error.message !== '') return error;
    throw error;
  }
}

export function environmentOf(node: Node, walk: Walk): Environment {
  const { frame, kit, budget } = walk;
  return {
    types: kit.types,
    resource: frame.resource,
    rootResource: frame.root,
    context: node,
    budget,
    resolve: reference => {
      const text = typeof reference.value === 'string' ? reference.value : asString(asObject(reference.value)['reference']); // prettier-ignore
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

/** A warning, since nobody knows that it is held; a policy that enforces refuses it. */
function tooCostly({ findings }: Walk, key: string, profile: string, { message }: TooCostly): void {
  const why = message === 'pattern' ? 'its pattern takes too long on this text' : 'a text that it makes gets too long';
  const text = `The rule ${key} was not checked: ${why}.`;
  findings.note({ severity: 'warning', code: 'too-costly', text, profile, rule: `undecided ${key}` });
}
