import type { TypeDefinitions } from '../../model/element.ts';
import { parseExpression } from '../parse.ts';
import { problemsOf } from '../problems.ts';
import type { Problem, RuleContext } from '../problems.ts';
import { ExpressionError } from '../syntax.ts';
import type { Expression } from '../syntax.ts';
import { compileTree } from './compile.ts';
import { Delegated } from './errors.ts';
import type { Evaluate } from './environment.ts';

/** An expression of a definition that is evaluated on values of a record: an invariant, a context of an extension. */
export type Rule =
  /** Evaluated here; it throws Delegated for values that only fhirpath.js compares. */
  | { readonly kind: 'compiled'; readonly text: string; readonly evaluate: Evaluate }
  /** Always runs in fhirpath.js; `construct` is the reason. */
  | { readonly kind: 'delegated'; readonly text: string; readonly construct: string }
  /** Invalid, and never evaluated. */
  | { readonly kind: 'refused'; readonly text: string; readonly problems: readonly [Problem, ...Problem[]] };

/**
 * Compiles an expression. Never throws: mistakes are in the result.
 * https://hl7.org/fhir/R4/conformance-rules.html#constraints
 */
export function compileRule(text: string, types: TypeDefinitions, context: RuleContext): Rule {
  let tree: Expression;
  try {
    tree = parseExpression(text);
    const [first, ...others] = problemsOf(tree, text, types, context);
    if (first !== undefined) return { kind: 'refused', text, problems: [first, ...others] };
    return { kind: 'compiled', text, evaluate: compileTree(tree, text, types) };
  } catch (error) {
    if (error instanceof Delegated) return { kind: 'delegated', text, construct: error.message };
    if (!(error instanceof ExpressionError)) throw error;
    return { kind: 'refused', text, problems: [{ at: error.at, message: error.problem }] };
  }
}
