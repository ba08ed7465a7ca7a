import type { RuleContext } from '../../fhirpath/infer.ts';
import { ruleProblems } from '../../fhirpath/evaluate/rule.ts';
import type { TypeDefinitions } from '../../model/element.ts';

/** A mistake in an expression: a sentence, and whether the expression may be right nevertheless. */
export interface ExpressionFinding {
  readonly text: string;
  readonly undecided: boolean;
}

/** The mistakes in the FHIRPath of a constraint or discriminator, as sentences. https://hl7.org/fhirpath/N1/ */
export function checkExpression(
  expression: string,
  types: TypeDefinitions,
  context: RuleContext,
): readonly ExpressionFinding[] {
  return ruleProblems(expression, types, context).map(({ at, message, undecided }) => ({
    // A syntax error quotes nothing of the expression.
    text: /[.?]$/.test(message) ? message : `${message} (character ${at + 1} of \`${expression}\`).`,
    undecided: undecided === true,
  }));
}
