import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { isChoiceOf } from './tree.ts';
import type { Node } from './tree.ts';

/**
 * Replaces children of a differential that are named by a type of a choice (`valueQuantity`) by slices of it, by type
 * (`value[x]:valueQuantity`); the choice then allows only the named types. `children` are those of the base.
 * https://hl7.org/fhir/R4/profiling.html#slicing
 */
export function withShorthands(written: readonly Node[], children: readonly Node[]): readonly Node[] {
  const found = new Map<string, Node>();
  for (const child of written) {
    const choice = children.some(({ name }) => name === child.name) ? undefined : choiceOf(child.name, children);
    const name = choice?.name ?? child.name;
    const there = found.get(name) ?? { name, slice: undefined, element: undefined, children: [], slices: [] };
    found.set(name, choice === undefined ? joined(there, child) : withSlice(there, child, choice));
  }
  return [...found.values()];
}

/** The type that a name such as `valueQuantity` means among those of a choice; undefined for none. */
export function typeOfChoice(name: string, choice: Node): JsonObject | undefined {
  if (!choice.name.endsWith('[x]')) return undefined;
  const stem = choice.name.slice(0, -3);
  return objectsOf(choice.element?.['type']).find(({ code }) => name === stem + capital(String(code)));
}

/**
 * The rules of a choice for its values, limited to those that apply to one type: a quantity has no length, and a
 * boolean no code. https://hl7.org/fhir/R4/elementdefinition.html#interpretation
 */
export function ofType(element: JsonObject, type: JsonObject): JsonObject {
  const code = String(type['code']);
  const fits = (key: string): boolean => {
    if (key === 'binding') return bindable.has(code);
    if (key === 'maxLength') return texts.has(code);
    const value = /^(?:fixed|pattern|minValue|maxValue|defaultValue)(?=[A-Z])/.exec(key);
    return value === null || key === value[0] + capital(code);
  };
  return { ...Object.fromEntries(Object.entries(element).filter(([key]) => fits(key))), type: [type] };
}

const bindable = new Set(['code', 'Coding', 'CodeableConcept', 'Quantity', 'string', 'uri']);
const texts = new Set(['string', 'code', 'id', 'markdown', 'uri', 'url', 'canonical', 'oid', 'uuid', 'base64Binary']);

const choiceOf = (name: string, children: readonly Node[]): Node | undefined =>
  children.find(child => isChoiceOf(name, child.name) && typeOfChoice(name, child) !== undefined);

const capital = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1);

function withSlice(there: Node, child: Node, choice: Node): Node {
  const type = typeOfChoice(child.name, choice);
  const slice = asString(child.element?.['sliceName']) ?? child.name;
  const named = objectsOf(there.element?.['type']);
  const element: JsonObject = {
    slicing: { discriminator: [{ type: 'type', path: '$this' }], ordered: false, rules: 'closed' },
    ...there.element,
    type: there.element?.['slicing'] === undefined || named.length > 0 ? [...named, type] : undefined,
  };
  const own: Node = { ...child, name: choice.name, slice, element: { type: [type], ...child.element } };
  return { ...there, element, slices: [...there.slices, own] };
}

const joined = (there: Node, child: Node): Node => ({
  ...child,
  element: there.element === undefined ? child.element : { ...there.element, ...child.element },
  slices: [...there.slices, ...child.slices],
});
