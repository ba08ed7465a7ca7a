import { ExpressionError } from '../syntax.ts';
import { checkXhtml } from '../../fhir/xml/xhtml.ts';
import { answer, distinct, forOne, plainly, textOf, withEach, withValues } from './function-forms.ts';
import type { Build, Items } from './function-forms.ts';
import { payFor } from './environment.ts';
import { Delegated, EvaluationError, Undecided } from './errors.ts';
import type { Budget, Environment, Evaluate } from './environment.ts';
import { keyOf, plain } from './item.ts';
import type { Item } from './item.ts';
import { condition, single } from './operators.ts';
import { textFunctions } from './text-functions.ts';
import { asTest, isNode, isTest, typed } from './type-test.ts';
import { walkFunctions } from './walk-functions.ts';

/** Functions of whole sets, by equality. https://hl7.org/fhirpath/N1/#filtering-and-projection */
const setFunctions: Readonly<Record<string, Build>> = {
  distinct: plainly((input, { budget }) => (payFor(input, budget), distinct(input))),
  isDistinct: plainly((input, { budget }) => {
    payFor(input, budget);
    return [input.length < 2 || new Set(input.map(keyOf)).size === input.length];
  }),
  union: withValues(1, (input, [other = []], { budget }) => {
    payForBoth(input, other, budget);
    return distinct([...input, ...other]);
  }),
  combine: withValues(1, (input, [other = []], { budget }) => {
    budget.spend(input.length + other.length);
    return [...input, ...other];
  }),
  intersect: withValues(1, (input, [other = []], { budget }) => {
    payForBoth(input, other, budget);
    if (input.length === 0 || other.length === 0) return [];
    const keys = new Set(other.map(keyOf));
    return distinct(input.filter(item => keys.has(keyOf(item))));
  }),
  exclude: withValues(1, (input, [other = []], { budget }) => {
    payForBoth(input, other, budget);
    if (input.length === 0 || other.length === 0) return input;
    const keys = new Set(other.map(keyOf));
    return input.filter(item => !keys.has(keyOf(item)));
  }),
  subsetOf: withValues(1, (input, [other = []], { budget }) => [isSubset(input, other, budget)]),
  supersetOf: withValues(1, (input, [other = []], { budget }) => [isSubset(other, input, budget)]),
};

function payForBoth(one: Items, other: Items, budget: Budget): void {
  payFor(one, budget);
  payFor(other, budget);
}

const isSubset = (part: Items, whole: Items, budget: Budget): boolean => {
  payForBoth(part, whole, budget);
  if (part.length === 0) return true;
  const keys = new Set(whole.map(keyOf));
  return part.every(item => keys.has(keyOf(item)));
};

const where = withEach((input, each) => {
  const found = input.filter((item, index) => condition(each(item, index)) === true);
  return found.length === input.length ? input : found;
});

/** Functions of whole collections of booleans. https://hl7.org/fhirpath/N1/#alltrue--boolean */
const booleans = (decide: (values: readonly boolean[]) => boolean): Build =>
  plainly(input => [
    decide(
      input.map(item => {
        const value = plain(item);
        if (typeof value !== 'boolean') throw new EvaluationError('booleans were expected');
        return value;
      }),
    ),
  ]);

function countOf(items: Items): number {
  const item = single(items);
  const value = item === undefined ? undefined : plain(item);
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new Delegated('a count that is not an integer');
  return Math.max(0, value);
}

const answers = (test: (input: Items, environment: Environment) => boolean | undefined): Build =>
  plainly((input, environment) => answer(test(input, environment)));

/**
 * The functions that this evaluator implements; all others run in fhirpath.js. https://hl7.org/fhirpath/N1/#functions
 */
export const functions: Readonly<Record<string, Build>> = {
  __proto__: null as never, // function names come from expressions
  ...setFunctions,
  ...walkFunctions,
  ...textFunctions,
  where,
  exists: (args, compiling, at) => {
    if (args.length === 0) return input => answer(input.length > 0);
    const found = where(args, compiling, at);
    return (input, environment) => answer(found(input, environment).length > 0);
  },
  empty: answers(input => input.length === 0),
  not: answers(input => {
    const value = condition(input);
    return value === undefined ? undefined : !value;
  }),
  all: withEach((input, each) => [input.every((item, index) => condition(each(item, index)) === true)]),
  select: withEach((input, each) => input.flatMap((item, index) => each(item, index))),
  count: plainly(input => [input.length]),
  first: plainly(input => input.slice(0, 1)),
  last: plainly(input => input.slice(-1)),
  tail: plainly(input => input.slice(1)),
  single: plainly(input => (single(input), input)),
  skip: withValues(1, (input, [count = []]) => input.slice(countOf(count))),
  take: withValues(1, (input, [count = []]) => input.slice(0, countOf(count))),
  allTrue: booleans(values => values.every(value => value)),
  anyTrue: booleans(values => values.some(value => value)),
  allFalse: booleans(values => values.every(value => !value)),
  anyFalse: booleans(values => values.some(value => !value)),
  ofType: ([type], compiling) => {
    const test = asTest(type, compiling);
    return input => input.filter(test);
  },
  as: ([type], compiling) => typed('as', input => input, asTest(type, compiling)),
  is: ([type], compiling) => typed('is', input => input, isTest(type, compiling)),
  iif: (args, compiling, at) => {
    const [test, yes, no] = args.map(arg => compiling.compile(arg, compiling));
    if (test === undefined || yes === undefined || args.length > 3)
      throw new ExpressionError(compiling.text, at, 'This function takes two or three arguments');
    return (input, environment) => {
      const item = single(input);
      const { index } = environment;
      const run = (part: Evaluate): Items =>
        item === undefined ? part(input, environment) : forOne(part, item, index, environment);
      const found = run(test);
      const held = condition(found);
      if (held !== undefined && typeof plain(found[0] as Item) !== 'boolean')
        throw new EvaluationError('a condition was expected');
      const part = held === true ? yes : no;
      return part === undefined ? [] : run(part);
    };
  },
  aggregate: (args, compiling, at) => {
    const [step, start] = args.map(arg => compiling.compile(arg, { ...compiling, iterating: true }));
    if (step === undefined) throw new ExpressionError(compiling.text, at, 'An argument is missing');
    return (input, environment) => {
      const { total: outer } = environment;
      environment.budget.spend(2 * input.length);
      environment.total = start?.(input, environment) ?? [];
      for (const [index, item] of input.entries()) environment.total = forOne(step, item, index, environment);
      const result = environment.total;
      environment.total = outer;
      return result;
    };
  },
  trace: () => input => input,
  hasValue: answers(input => {
    const [item] = input;
    return (
      input.length === 1 &&
      item !== undefined &&
      (!isNode(item) || (item.value !== undefined && typeof item.value !== 'object'))
    );
  }),
  hasExtension: (args, compiling, at) => {
    const found = walkFunctions['extension']?.(args, compiling, at);
    return (input, environment) => answer((found?.(input, environment).length ?? 0) > 0);
  },
  htmlChecks: answers(input =>
    input.every(item => {
      const text = plain(item);
      const { wrong, content } = checkXhtml(typeof text === 'string' ? text : '');
      return wrong === undefined && content;
    }),
  ),
  memberOf: withValues(1, (input, [valueSet = []], environment) => {
    const item = single(input);
    if (item === undefined || !isNode(item)) return [];
    const url = textOf(valueSet);
    const found = environment.memberOf(item, url);
    if (found === undefined) throw new Undecided(`the ValueSet \`${url}\``);
    return [found];
  }),
  conformsTo: withValues(1, (input, [profile = []], environment) => {
    const item = single(input);
    if (item === undefined || !isNode(item)) return [];
    const url = textOf(profile);
    const found = environment.conformsTo(item, url);
    if (found === undefined) throw new Undecided(`the profile \`${url}\``);
    return [found];
  }),
};
