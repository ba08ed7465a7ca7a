import { isAmbiguous, specifiedType } from '../names.ts';
import { isA } from '../result-type.ts';
import type { Expression } from '../syntax.ts';
import { answer } from './function-forms.ts';
import type { Compiling } from './function-forms.ts';
import { Delegated } from './errors.ts';
import type { Evaluate } from './environment.ts';
import type { Item } from './item.ts';
import type { Node } from './node.ts';
import { single } from './operators.ts';

/**
 * `is`: values of the resource have FHIR types, computed values have types of FHIRPath itself.
 * https://hl7.org/fhirpath/N1/#is-type-specifier
 */
export function isTest(tree: Expression | undefined, compiling: Compiling): (item: Item) => boolean {
  const { code, system } = specifiedType(tree, compiling.text, compiling.types);
  return item => {
    if (!isNode(item)) {
      if (!system && code === 'Quantity') throw new Delegated('the type of a computed quantity');
      return system && systemTypeOf(item) === code;
    }
    if (isAmbiguous(item.element, code)) throw new Delegated('the type of an id or of the url of an extension');
    return !system && isA(item.code, code, compiling.types);
  };
}

/**
 * `as` and `ofType`. Throws Delegated for types of FHIRPath itself, and for primitives of a type derived from the named
 * one, where the standard and its test cases differ.
 */
export function asTest(tree: Expression | undefined, compiling: Compiling): (item: Item) => boolean {
  const { code, system } = specifiedType(tree, compiling.text, compiling.types);
  if (system) throw new Delegated('types of FHIRPath itself');
  return item => {
    if (!isNode(item)) return false;
    const own = item.code;
    if (isAmbiguous(item.element, code)) throw new Delegated('the type of an id or of the url of an extension');
    if (own === code) return true;
    if (!isA(own, code, compiling.types)) return false;
    if (item.definition?.kind === 'primitive-type' && code !== 'Element')
      throw new Delegated('derived primitive types');
    return true;
  };
}

/** `is` and `as`, which take one value. */
export const typed =
  (operator: 'is' | 'as', of: Evaluate, test: (item: Item) => boolean): Evaluate =>
  (input, environment) => {
    const items = of(input, environment);
    const item = single(items);
    if (item === undefined) return [];
    return operator === 'is' ? answer(test(item)) : test(item) ? items : [];
  };

/** Whether a node has a type or one derived from it. */
export const isOfType = (item: Item, code: string, compiling: Compiling): boolean =>
  isNode(item) && isA(item.code, code, compiling.types);

export const isNode = (item: Item): item is Node => typeof item === 'object' && item.kind === 'node';

function systemTypeOf(item: Exclude<Item, Node>): string {
  if (typeof item === 'string') return 'String';
  if (typeof item === 'boolean') return 'Boolean';
  if (typeof item === 'number') return 'Integer';
  return item.kind === 'temporal' ? item.type : item.kind === 'decimal' ? 'Decimal' : 'Quantity';
}
