import { plainly, withValues } from './function-forms.ts';
import type { Items } from './function-forms.ts';
import { distinct } from './compiling.ts';
import type { Build } from './compiling.ts';
import type { Budget } from './environment.ts';
import { keyOf } from './item.ts';
import { payFor } from './price.ts';

/** Functions of whole sets, by equality. https://hl7.org/fhirpath/N1/#filtering-and-projection */
export const setFunctions: Readonly<Record<string, Build>> = {
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
