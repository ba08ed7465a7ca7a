import { didYouMean } from '../../fhir/suggest.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { functions as standard } from '../../fhirpath/functions.ts';
import { namedType } from '../../fhirpath/named-type.ts';
import { parseExpression } from '../../fhirpath/parse.ts';
import { ExpressionError } from '../../fhirpath/syntax.ts';
import type { Expression } from '../../fhirpath/syntax.ts';
import { ruleProblems } from '../../fhirpath/rule-problems.ts';
import { childrenOf, isMissing, valuesOfType } from './values.ts';
import type { Values } from './values.ts';

/** What is wrong with an expression: sentences, and whether it may be right all the same. */
export interface ExpressionFinding {
  readonly text: string;
  readonly undecided: boolean;
}

/** What an expression is evaluated on. */
export interface ExpressionContext {
  /** The values at the element that the expression stands on. */
  readonly values: Values;
  /** What `%resource` is. */
  readonly resource: Values;
  readonly types: TypeDefinitions;
}

/**
 * Mistakes in the FHIRPath of a constraint or discriminator: syntax, functions, variables and types that do not exist, and
 * elements that none of the types in question has. Nothing is said of what the definitions leave open.
 * https://hl7.org/fhirpath/N1/
 */
export function checkExpression(text: string, context: ExpressionContext): readonly ExpressionFinding[] {
  let tree: Expression;
  try {
    tree = parseExpression(text);
  } catch (error) {
    return [wrong(error)];
  }
  const walk: Walk = { ...context, text, findings: [] };
  valuesAt(tree, context.values, walk);
  if (walk.findings.length > 0) return walk.findings;
  return ruleProblems(text, undefined, context.types).map(({ message, undecided }) => ({
    text: /[.?]$/.test(message) ? message : `${message}.`,
    undecided: undecided === true,
  }));
}

interface Walk extends ExpressionContext {
  readonly text: string;
  readonly findings: ExpressionFinding[];
}

function wrong(error: unknown): ExpressionFinding {
  if (!(error instanceof ExpressionError)) throw error;
  const whole = /^(.*[.?]) \(character \d+ of .*\)$/s.exec(error.message)?.[1];
  return { text: whole ?? `${error.message}.`, undecided: false };
}

/** What an expression yields on values, as far as the definitions tell; adds what is wrong on the way. */
function valuesAt(tree: Expression, focus: Values, walk: Walk): Values {
  switch (tree.kind) {
    case 'literal':
      return undefined;
    case 'other':
      return tree.what === 'this' ? focus : undefined;
    case 'this':
      return focus;
    case 'variable':
      return variable(tree.name, walk);
    case 'member':
      return member(tree, focus, walk);
    case 'call':
      return call(tree, focus, walk);
    case 'index':
      valuesAt(tree.index, focus, walk);
      return valuesAt(tree.of, focus, walk);
    case 'type': {
      valuesAt(tree.of, focus, walk);
      const values = ofType(tree.type, walk);
      return tree.operator === 'as' ? values : undefined;
    }
    case 'binary': {
      const [left, right] = [valuesAt(tree.left, focus, walk), valuesAt(tree.right, focus, walk)];
      return tree.operator === '|' ? joined(left, right) : undefined;
    }
    case 'sign':
      valuesAt(tree.of, focus, walk);
      return undefined;
    default:
      return tree satisfies never;
  }
}

/** https://hl7.org/fhir/R4/fhirpath.html#variables */
function variable(name: string, walk: Walk): Values {
  if (name === 'resource') return walk.resource;
  if (name === 'context') return walk.values;
  if (!variables.has(name) && !/^(vs|ext)-/.test(name)) {
    const known = [...variables].map(one => `%${one}`);
    add(walk, `There is no variable \`%${name}\`.${didYouMean(`%${name}`, known)}`);
  }
  return undefined;
}

const variables = new Set(['resource', 'rootResource', 'context', 'sct', 'loinc', 'ucum']);

function member(tree: Expression & { kind: 'member' }, focus: Values, walk: Walk): Values {
  const { name, of } = tree;
  const owners = of === undefined ? focus : valuesAt(of, focus, walk);
  if (of === undefined && /^[A-Z]/.test(name) && walk.types.get(name) !== undefined)
    return valuesOfType(name, walk.types);
  const found = childrenOf(owners, name, walk.types);
  if (!isMissing(found)) return found;
  const hint = didYouMean(name, /^[A-Z]/.test(name) ? walk.types.resourceTypes : found.known);
  add(walk, `There is no element \`${name}\` in ${found.owners.join(', ')}.${hint}`);
  return undefined;
}

function call(tree: Expression & { kind: 'call' }, focus: Values, walk: Walk): Values {
  const { name, args } = tree;
  const of = tree.of === undefined ? focus : valuesAt(tree.of, focus, walk);
  if (!standard.has(name)) {
    add(walk, `There is no function \`${name}()\`.${didYouMean(name, standard)}`);
    return undefined;
  }
  if (name === 'is' || name === 'as' || name === 'ofType') {
    const values = ofType(args[0], walk);
    return name === 'is' ? undefined : values;
  }
  if (name === 'extension') return valuesOfType('Extension', walk.types);
  // What is no criterion is evaluated on the values outside, which published rules do not always heed.
  // What `repeat` finds is asked again, so that its first values need not have every name.
  const inner = name === 'repeat' ? undefined : overEach.has(name) ? of : joined(of, focus);
  const results = args.map(argument => valuesAt(argument, inner, walk));
  if (name === 'select') return results[0];
  if (name === 'union' || name === 'combine') return joined(of, results[0]);
  return same.has(name) ? of : undefined;
}

/** Functions whose argument is evaluated on each value of what they are called on. */
const overEach = new Set(['where', 'all', 'exists', 'select']);

/** Functions that yield some of what they are called on. */
const same = new Set('where first last tail skip take single distinct intersect exclude trace'.split(' '));

function ofType(type: Expression | undefined, walk: Walk): Values {
  try {
    return valuesOfType(namedType(type, walk.text, walk.types), walk.types);
  } catch (error) {
    const { text } = wrong(error);
    add(walk, text);
    return undefined;
  }
}

const joined = (left: Values, right: Values): Values =>
  left === undefined || right === undefined ? undefined : [...left, ...right];

function add(walk: Walk, text: string, undecided = false): void {
  if (!walk.findings.some(finding => finding.text === text)) walk.findings.push({ text, undecided });
}
