import { compileTree } from '../fhirpath/evaluate/compile.ts';
import { Delegated } from '../fhirpath/evaluate/errors.ts';
import type { Evaluate } from '../fhirpath/evaluate/environment.ts';
import type { Build } from '../fhirpath/evaluate/function-forms.ts';
import type { Item } from '../fhirpath/evaluate/item.ts';
import { inferTypes } from '../fhirpath/infer.ts';
import type { Types } from '../fhirpath/infer.ts';
import { parseExpression } from '../fhirpath/parse.ts';
import { rootType } from '../fhirpath/result-type.ts';
import { ExpressionError, hasPart, partsOf } from '../fhirpath/syntax.ts';
import type { Expression } from '../fhirpath/syntax.ts';
import type { TypeDefinition, TypeDefinitions } from '../model/element.ts';
import type { Constant } from './constants.ts';
import { clockFunctions, refusedFunctions } from './functions.ts';
import type { ViewExpression, ViewProblem, ViewState } from './view.ts';

/** What the expressions of one view have in common. */
export interface ExpressionContext {
  readonly types: TypeDefinitions;
  readonly root: TypeDefinition;
  /** Undefined for a constant that was reported. */
  readonly constants: ReadonlyMap<string, Constant | undefined>;
  readonly functions: Readonly<Record<string, Build>>;
  readonly state: ViewState;
  readonly problems: ViewProblem[];
  readonly warnings: ViewProblem[];
  /** Set by an expression that reads the clock. */
  readsClock: boolean;
  /** Number of expressions so far. */
  count: number;
}

/** A view has fewer; the compilation of a definition that a client sends must end soon. */
const mostExpressions = 2_000;

/** An expression with the possible types of its results; undefined for one that was reported. */
export interface TypedExpression {
  readonly expression: ViewExpression | undefined;
  readonly types: Types;
}

const unknown: TypedExpression = { expression: undefined, types: undefined };

/**
 * Compiles an expression on values of the types `focus`. Reports mistakes: no text, invalid FHIRPath, unknown
 * functions, variables and types, functions that need more than the record. An element that the type does not have is a
 * warning, since its values are empty.
 */
export function compileExpression(
  text: unknown,
  place: string,
  focus: Types,
  context: ExpressionContext,
): TypedExpression {
  const { types, root, constants, problems, warnings, functions, state } = context;
  const report = (message: string): TypedExpression => {
    problems.push({ path: place, text: message });
    return unknown;
  };
  if (typeof text !== 'string' || text.trim() === '')
    return report(`${text === undefined ? 'The FHIRPath is missing' : 'A FHIRPath expression is a text'}.`);
  if (++context.count > mostExpressions)
    return context.count > mostExpressions + 1 ? unknown : report(`A view has at most ${mostExpressions} expressions.`);
  try {
    const tree = parseExpression(text);
    const refused = callsIn(tree).find(({ name }) => refusedFunctions.has(name));
    if (refused !== undefined)
      return report(`\`${refused.name}()\` needs more than the record, and is not available in views.`);
    const variables = new Set([...constants.keys(), 'rowIndex']);
    const resource = [rootType(root)];
    const found = inferTypes(tree, text, types, {
      context: focus,
      resource,
      otherTypes: true,
      viewVariables: variables,
    });
    const wrong = found.problems.filter(one => one.lacks !== true);
    for (const { message } of found.problems.filter(one => one.lacks === true))
      warnings.push({ path: place, text: `${message} The result is always empty.` });
    const [first] = wrong;
    if (first !== undefined) return report(sentence(first.message, first.at, text));
    if (callsIn(tree).some(({ name }) => clockFunctions.has(name))) context.readsClock = true;
    const given = new Map<string, () => readonly Item[]>([['rowIndex', () => [state.rowIndex]]]);
    for (const [name, constant] of constants) given.set(name, () => constant?.items ?? []);
    const evaluate = compiled(tree, text, types, { functions, variables: given });
    const literal = (rowIndex: number): string => withLiterals(text, tree, constants, rowIndex);
    return { expression: { text, place, tree, evaluate, literal }, types: found.types };
  } catch (error) {
    if (error instanceof ExpressionError) return report(sentence(error.problem, error.at, text));
    throw error;
  }
}

/** A syntax error quotes nothing of the expression. */
function sentence(message: string, at: number, text: string): string {
  if (/[.?]$/.test(message)) return message;
  return `${message} (character ${at + 1} of \`${text.length > 200 ? `${text.slice(0, 200)}…` : text}\`).`;
}

function compiled(...given: Parameters<typeof compileTree>): Evaluate | undefined {
  try {
    return compileTree(...given);
  } catch (error) {
    if (error instanceof Delegated) return undefined;
    throw error;
  }
}

type Call = Expression & { readonly kind: 'call' };

function callsIn(tree: Expression): readonly Call[] {
  const inside = partsOf(tree).flatMap(callsIn);
  return tree.kind === 'call' ? [tree, ...inside] : inside;
}

/** The text with literals in place of variables, since fhirpath.js knows no types of variables. */
function withLiterals(
  text: string,
  tree: Expression,
  constants: ReadonlyMap<string, Constant | undefined>,
  rowIndex: number,
): string {
  if (!hasPart(tree, part => part.kind === 'variable')) return text;
  const places = new Map<number, string>();
  const collect = (part: Expression): void => {
    if (part.kind === 'variable') {
      const literal = part.name === 'rowIndex' ? String(rowIndex) : constants.get(part.name)?.literal;
      if (literal !== undefined) places.set(part.at, literal);
    }
    for (const one of partsOf(part)) collect(one);
  };
  collect(tree);
  let result = text;
  for (const [at, literal] of [...places].sort(([a], [b]) => b - a)) {
    const token = /%(?:[A-Za-z_]\w*|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)/y;
    token.lastIndex = at;
    const { length } = token.exec(text)?.[0] ?? '';
    result = result.slice(0, at) + literal + result.slice(at + length);
  }
  return result;
}
