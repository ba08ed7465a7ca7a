import type { TypeDefinitions } from '../../model/element.ts';
import { ExpressionError } from '../syntax.ts';
import type { Expression } from '../syntax.ts';
import { constantOf } from '../names.ts';
import { answer, distinct } from './function-forms.ts';
import type { Compiling } from './function-forms.ts';
import { payFor, payForText } from './environment.ts';
import { Delegated, EvaluationError, Undecided } from './errors.ts';
import type { Environment, Evaluate } from './environment.ts';
import { functions } from './functions.ts';
import type { Extras } from './function-forms.ts';
import { isUnordered } from './walk-functions.ts';
import { keyOf, plain, ucumUnit } from './item.ts';
import type { Item, Temporal } from './item.ts';
import { nodesAt } from './node.ts';
import { arithmetic, condition, equal, largest, order, single } from './operators.ts';
import { asTest, isNode, isOfType, isTest, typed } from './type-test.ts';

/**
 * Compiles a parsed expression to a function from values to values, which counts its cost in the environment's budget.
 * Throws Delegated for constructs that fhirpath.js runs, ExpressionError for mistakes. `extras` has functions and
 * variables that only such expressions have. https://hl7.org/fhirpath/N1/
 */
export function compileTree(tree: Expression, text: string, types: TypeDefinitions, extras: Extras = {}): Evaluate {
  return compile(tree, { text, types, iterating: false, compile, ...extras });
}

function compile(tree: Expression, compiling: Compiling): Evaluate {
  switch (tree.kind) {
    case 'literal':
      return compileLiteral(tree);
    case 'other':
      return compileOther(tree, compiling);
    case 'this':
      return (_input, environment) => (environment.this === undefined ? [] : [environment.this]);
    case 'variable':
      return compileVariable(tree, compiling);
    case 'member':
      return compileMember(tree, compiling);
    case 'index': {
      if (isUnordered(tree.of)) throw new Delegated('the order of children');
      const [of, index] = [compile(tree.of, compiling), compile(tree.index, compiling)];
      return (input, environment) => {
        const outer = environment.this === undefined ? input : [environment.this];
        const place = single(index(outer, environment));
        if (place === undefined) return [];
        if (typeof place !== 'number' || place < 0) throw new Delegated('an index that is computed');
        return of(input, environment).slice(place, place + 1);
      };
    }
    case 'sign':
      return compileSign(tree, compiling);
    case 'type': {
      const of = compile(tree.of, compiling);
      const test = (tree.operator === 'as' ? asTest : isTest)(tree.type, compiling);
      return typed(tree.operator, of, test);
    }
    case 'binary':
      return compileBinary(tree, compiling);
    case 'call': {
      const build = compiling.functions?.[tree.name] ?? functions[tree.name];
      if (build === undefined) throw new Delegated(`the function \`${tree.name}()\``);
      if (ordered.has(tree.name) && tree.of !== undefined && isUnordered(tree.of))
        throw new Delegated('the order of children');
      const call = build(tree.args, compiling, tree.at);
      if (tree.of === undefined) return call;
      const of = compile(tree.of, compiling);
      return (input, environment) => call(of(input, environment), environment);
    }
    default:
      return tree satisfies never;
  }
}

/** Functions that depend on an order, which `children()` and `descendants()` do not have. */
const ordered: ReadonlySet<string> = new Set(['first', 'last', 'tail', 'skip', 'take']);

function compileLiteral({ value, text }: Expression & { kind: 'literal' }): Evaluate {
  if (typeof value === 'number' && text !== undefined) {
    if (text.replace('.', '').replace(/^0+/, '').length > 15) throw new Delegated('a number of more than 15 digits');
    if (text.includes('.')) {
      const decimal = [{ kind: 'decimal', value, text }] as const;
      return () => decimal;
    }
    if (value > largest) throw new Delegated('an integer of more than 32 bits');
  }
  const items = [value];
  return () => items;
}

function compileOther(tree: Expression & { kind: 'other' }, { iterating }: Compiling): Evaluate {
  switch (tree.what) {
    case 'empty':
      return () => [];
    case 'date': {
      const value = [temporalOf(tree.text)];
      return () => value;
    }
    case 'quantity': {
      if (tree.calendar === true) throw new Delegated('quantities of time');
      const value = [{ kind: 'quantity', value: Number(tree.text), unit: ucumUnit(tree.unit ?? '1') } as const];
      return () => value;
    }
    case 'index':
      if (!iterating) throw new Delegated('`$index` outside of criteria');
      return (_input, environment) => [environment.index];
    case 'total':
      return (_input, environment) => environment.total;
    case 'this':
      throw new Delegated('`$this` after a dot');
    default:
      return tree.what satisfies never;
  }
}

function temporalOf(literal: string): Temporal {
  const text = literal.slice(1);
  if (text.startsWith('T')) return { kind: 'temporal', type: 'Time', text: text.slice(1) };
  return { kind: 'temporal', type: text.includes('T') ? 'DateTime' : 'Date', text };
}

/** https://hl7.org/fhir/R4/fhirpath.html#variables */
function compileVariable({ name, at }: Expression & { kind: 'variable' }, { text, variables }: Compiling): Evaluate {
  const given = variables?.get(name);
  if (given !== undefined) return given;
  switch (name) {
    case 'resource':
      return (_input, environment) => [environment.resource];
    case 'rootResource':
      return (_input, environment) => [environment.rootResource];
    case 'context':
      return (_input, environment) => [environment.context];
    default: {
      const value = constantOf(name);
      if (value === undefined && text.includes('defineVariable')) throw new Delegated('a variable of the expression');
      if (value === undefined) throw new ExpressionError(text, at, `There is no variable \`%${name}\``);
      return () => [value];
    }
  }
}

function compileSign(tree: Expression & { kind: 'sign' }, compiling: Compiling): Evaluate {
  const of = compile(tree.of, compiling);
  const negative = compiling.text.charAt(tree.at) === '-';
  return (input, environment) => {
    const items = of(input, environment);
    const item = single(items);
    const value = item === undefined ? undefined : plain(item);
    if (item === undefined || typeof value === 'string' || typeof value === 'boolean')
      throw new EvaluationError('a sign needs a number');
    if (typeof value !== 'number') throw new Delegated('a sign before a quantity');
    if (!negative) return items;
    return typeof item === 'object' && item.kind === 'decimal'
      ? [{ kind: 'decimal', value: 0 - value }]
      : arithmetic('-', [0], items);
  };
}

function compileMember(tree: Expression & { kind: 'member' }, compiling: Compiling): Evaluate {
  const { name } = tree;
  const { types } = compiling;
  const step: Evaluate = (input, environment) => {
    let result: readonly Item[] | undefined;
    let own: Item[] | undefined;
    for (const item of input) {
      const found = memberOf(item, name, types);
      environment.budget.spend(1 + found.length);
      if (found.length === 0) continue;
      if (result === undefined) result = found;
      else (own ??= [...result]).push(...found);
    }
    return own ?? result ?? [];
  };
  if (tree.of === undefined) {
    if (!/^[A-Z]/.test(name) || types.get(name) === undefined) return step;
    // The name of a type begins a path.
    return input => input.filter(item => isOfType(item, name, compiling));
  }
  const of = compiling.compile(tree.of, compiling);
  return (input, environment) => step(of(input, environment), environment);
}

function memberOf(item: Item, name: string, types: TypeDefinitions): readonly Item[] {
  if (!isNode(item)) return [];
  const definition = item.definition?.kind === 'primitive-type' ? types.get('Element') : item.definition;
  const element = definition?.elements.get(name);
  if (element !== undefined) return nodesAt(item, element, types);
  // `valueQuantity` is not FHIRPath, but published rules have it.
  if (definition?.properties.get(name)?.element.choice === true) throw new Delegated(`the JSON name \`${name}\``);
  return [];
}

function compileBinary(tree: Expression & { kind: 'binary' }, compiling: Compiling): Evaluate {
  const { operator } = tree;
  if (operator === '~' || operator === '!~') throw new Delegated('equivalence');
  const left = compile(tree.left, compiling);
  const right = compile(tree.right, compiling);
  const both =
    (decide: (left: readonly Item[], right: readonly Item[]) => boolean | undefined): Evaluate =>
    (input, environment) => {
      const [one, other] = [left(input, environment), right(input, environment)];
      payFor(one, environment.budget);
      payFor(other, environment.budget);
      return answer(decide(one, other));
    };
  switch (operator) {
    case 'and':
      return logic(left, right, (a, b) =>
        a === false || b() === false ? false : a === true && b() === true ? true : undefined,
      );
    case 'or':
      return logic(left, right, (a, b) =>
        a === true || b() === true ? true : a === false && b() === false ? false : undefined,
      );
    case 'xor':
      return logic(left, right, (a, b) => (a === undefined || b() === undefined ? undefined : a !== b()));
    case 'implies':
      return logic(left, right, (a, b) => (a === false ? true : a === true ? b() : b() === true ? true : undefined));
    case '=':
      return both(equal);
    case '!=':
      return both((a, b) => negated(equal(a, b)));
    case '<':
      return both((a, b) => compared(order(a, b), sign => sign < 0));
    case '<=':
      return both((a, b) => compared(order(a, b), sign => sign <= 0));
    case '>':
      return both((a, b) => compared(order(a, b), sign => sign > 0));
    case '>=':
      return both((a, b) => compared(order(a, b), sign => sign >= 0));
    case 'in':
      return both((a, b) => contained(a, b));
    case 'contains':
      return both((a, b) => contained(b, a));
    case '|':
      return (input, environment) => {
        const all = [...left(input, environment), ...right(input, environment)];
        payFor(all, environment.budget);
        return distinct(all);
      };
    case '&':
      return (input, environment) => [
        joined(textOf(left(input, environment)), textOf(right(input, environment)), environment),
      ];
    default:
      return (input, environment) => {
        const [one, other] = [left(input, environment), right(input, environment)];
        environment.budget.spend(1);
        const result = arithmetic(operator, one, other);
        if (typeof result[0] === 'string') payForText(result[0].length, environment.budget);
        return result;
      };
  }
}

/** Three-valued logic; the right side is evaluated only if needed, and an undecided side may not matter. */
function logic(
  left: Evaluate,
  right: Evaluate,
  decide: (left: boolean | undefined, right: () => boolean | undefined) => boolean | undefined,
): Evaluate {
  return (input, environment) => {
    let known: { readonly value: boolean | undefined } | undefined;
    const second = (): boolean | undefined => (known ??= { value: condition(right(input, environment)) }).value;
    const { this: outer, index, total } = environment;
    let first: boolean | undefined;
    try {
      first = condition(left(input, environment));
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      Object.assign(environment, { this: outer, index, total });
      const [no, yes] = [decide(false, second), decide(true, second)];
      if (no !== yes) throw error;
      return answer(no);
    }
    return answer(decide(first, second));
  };
}

const negated = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);

const compared = (sign: number | undefined, test: (sign: number) => boolean): boolean | undefined =>
  sign === undefined ? undefined : test(sign);

/** https://hl7.org/fhirpath/N1/#in-membership */
function contained(item: readonly Item[], all: readonly Item[]): boolean | undefined {
  const one = single(item);
  if (one === undefined) return undefined;
  const key = all.length === 0 ? '' : keyOf(one);
  return all.some(other => keyOf(other) === key);
}

function joined(one: string, other: string, { budget }: Environment): string {
  payForText(one.length + other.length, budget);
  return one + other;
}

function textOf(items: readonly Item[]): string {
  const item = single(items);
  if (item === undefined) return '';
  const value = plain(item);
  if (typeof value !== 'string') throw new Delegated('`&` on values that are no texts');
  return value;
}
