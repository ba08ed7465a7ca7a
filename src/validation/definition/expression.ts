import type { RuleContext } from '../../fhirpath/problems.ts';
import { ruleProblems } from '../../fhirpath/rule-problems.ts';
import type { TypeDefinitions } from '../../model/element.ts';

/** What is wrong with an expression: a sentence, and whether it may be right all the same. */
export interface ExpressionFinding {
  readonly text: string;
  readonly undecided: boolean;
}

/** Mistakes in the FHIRPath of a constraint or discriminator, as sentences. https://hl7.org/fhirpath/N1/ */
export function checkExpression(
  expression: string,
  types: TypeDefinitions,
  context: RuleContext,
): readonly ExpressionFinding[] {
  return ruleProblems(expression, types, context).map(({ at, message, undecided }) => ({
    // What is no FHIRPath quotes nothing of it.
    text: /[.?]$/.test(message) ? message : `${message} (character ${at + 1} of \`${expression}\`).`,
    undecided: undecided === true,
  }));
}
