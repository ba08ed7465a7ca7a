import type { TypeDefinitions } from '../../model/element.ts';
import { parseExpression } from '../parse.ts';
import { inferTypes } from '../infer.ts';
import type { ExpressionProblem, RuleContext } from '../infer.ts';
import { ExpressionError } from '../syntax.ts';
import type { Expression } from '../syntax.ts';
import type { Job } from '../delegate/job.ts';
import { runNow } from '../delegate/run.ts';
import type { KnownType } from '../result-type.ts';
import { compileTree } from './compile.ts';
import { Delegated } from './errors.ts';
import type { Evaluate } from './environment.ts';

/**
 * All mistakes in the expression of a rule: invalid FHIRPath; unknown functions, variables, types and elements; and
 * functions that neither this server nor fhirpath.js evaluates. For the last, fhirpath.js runs in a thread, for which
 * this one waits.
 */
export function ruleProblems(text: string, types: TypeDefinitions, context: RuleContext): readonly ExpressionProblem[] {
  const rule = compileRule(text, types, context);
  if (rule.kind === 'refused') return rule.problems;
  if (rule.kind === 'compiled') return [];
  const [answer] = runNow([onNothing(text, context.context?.[0])]);
  const [, name] = answer?.kind === 'failed' ? (/^Not implemented: (\w+)$/.exec(answer.message) ?? []) : [];
  if (name === undefined) return []; // it fails on a value without content, which proves nothing
  const at = text.search(new RegExp(`\\b${name}\\s*\\(`));
  return [
    { at: Math.max(0, at), message: `Neither this server nor fhirpath.js evaluates \`${name}()\`.`, undecided: true },
  ];
}

/** An expression on an empty value. */
function onNothing(expression: string, known: KnownType | undefined): Job {
  const resource = { resourceType: 'Basic' };
  const { code = 'Basic', definition } = known ?? {};
  const value =
    definition?.kind === 'resource' ? { resourceType: code } : definition?.kind === 'primitive-type' ? '' : {};
  const focus = known === undefined ? resource : value;
  const type = definition?.name ?? code;
  return { expression, focus: { value: focus, code, type }, resource, rootResource: resource, resolve: 'contained' };
}

/** An expression of a definition that is evaluated on values of a record: an invariant, a context of an extension. */
export type Rule =
  /** Evaluated here; it throws Delegated for values that only fhirpath.js compares. */
  | { readonly kind: 'compiled'; readonly text: string; readonly evaluate: Evaluate }
  /** Always runs in fhirpath.js; `construct` is the reason. */
  | { readonly kind: 'delegated'; readonly text: string; readonly construct: string }
  /** Invalid, and never evaluated. */
  | {
      readonly kind: 'refused';
      readonly text: string;
      readonly problems: readonly [ExpressionProblem, ...ExpressionProblem[]];
    };

/**
 * Compiles an expression. Never throws: mistakes are in the result.
 * https://hl7.org/fhir/R4/conformance-rules.html#constraints
 */
export function compileRule(text: string, types: TypeDefinitions, context: RuleContext): Rule {
  let tree: Expression;
  try {
    tree = parseExpression(text);
    const [first, ...others] = inferTypes(tree, text, types, context).problems;
    if (first !== undefined) return { kind: 'refused', text, problems: [first, ...others] };
    return { kind: 'compiled', text, evaluate: compileTree(tree, text, types) };
  } catch (error) {
    if (error instanceof Delegated) return { kind: 'delegated', text, construct: error.message };
    if (!(error instanceof ExpressionError)) throw error;
    return { kind: 'refused', text, problems: [{ at: error.at, message: error.problem }] };
  }
}
