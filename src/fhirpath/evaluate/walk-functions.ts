import { isObject } from '../../fhir/json-object.ts';
import type { Expression } from '../syntax.ts';
import { plainly, textOf, withEach, withValues } from './function-forms.ts';
import type { Build, Items } from './function-forms.ts';
import { payFor } from './environment.ts';
import { Undecided } from './errors.ts';
import type { Environment } from './environment.ts';
import { keyOf } from './item.ts';
import type { Item } from './item.ts';
import { childrenOf, nodesAt } from './node.ts';
import { isNode } from './type-test.ts';

/** Functions that lead to other values of the tree. https://hl7.org/fhirpath/N1/#tree-navigation */
export const walkFunctions: Readonly<Record<string, Build>> = {
  children: plainly((input, environment) => children(input, environment)),
  descendants: plainly((input, environment) => {
    const all: Item[] = [];
    for (let level = children(input, environment); level.length > 0; level = children(level, environment))
      for (const item of level) all.push(item);
    return all;
  }),
  repeat: withEach((input, each, { budget }) => {
    const seen = new Map<string, Item>();
    let waiting: Items = input;
    while (waiting.length > 0) {
      const found = waiting.flatMap((item, index) => each(item, index));
      payFor(found, budget);
      budget.spend(priceOfRepeat * waiting.length);
      const next: Item[] = [];
      for (const item of found) {
        const key = keyOf(item);
        if (seen.has(key)) continue;
        seen.set(key, item);
        next.push(item);
      }
      waiting = next;
    }
    return [...seen.values()];
  }),
  resolve: plainly((input, environment) =>
    input.map(item => {
      const target = isNode(item) ? environment.resolve(item) : undefined;
      if (target === undefined) throw new Undecided('the target of a reference');
      return target;
    }),
  ),
  extension: withValues(1, (input, [url = []], { types }) => {
    const wanted = textOf(url);
    return input.filter(isNode).flatMap(node => {
      const element = (
        node.definition?.kind === 'primitive-type' ? types.get('Element') : node.definition
      )?.elements.get('extension');
      if (element === undefined) return [];
      return nodesAt(node, element, types).filter(({ value }) => isObject(value) && value['url'] === wanted);
    });
  }),
};

/** Cost of one round of `repeat`, as a number of visited values: each round keeps its results, and may continue. */
const priceOfRepeat = 20;

function children(input: Items, { types, budget }: Environment): Items {
  const all: Item[] = [];
  for (const item of input) {
    const found = isNode(item) ? childrenOf(item, types) : [];
    budget.spend(1 + found.length);
    for (const child of found) all.push(child);
  }
  return all;
}

/** True for expressions whose results have no defined order. https://hl7.org/fhirpath/N1/#children--collection */
export const isUnordered = (tree: Expression): boolean =>
  tree.kind === 'call' && (tree.name === 'children' || tree.name === 'descendants');
