import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
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

/**
 * Merges one element of the base with that of a differential. Most properties replace; invariants are added by their
 * key, items of other lists by content, a binding keeps its strength and ValueSet unless they are replaced, and slicing
 * keeps its discriminators. Nothing is relaxed: the narrower cardinality wins, `mustSupport` stays.
 * https://hl7.org/fhir/R4/profiling.html#limitations
 */
export function mergeElement(base: JsonObject, differential: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...base, ...differential };
  if (base['min'] !== undefined) merged['min'] = Math.max(minOf(base), minOf(differential));
  if (base['max'] !== undefined) merged['max'] = maxOf(differential) < maxOf(base) ? differential['max'] : base['max'];
  if (base['mustSupport'] === true) merged['mustSupport'] = true;
  if (base['base'] !== undefined) merged['base'] = base['base'];
  if (differential['binding'] !== undefined && base['binding'] !== undefined)
    merged['binding'] = mergeBinding(asObject(base['binding']), asObject(differential['binding']));
  if (differential['slicing'] !== undefined && base['slicing'] !== undefined)
    merged['slicing'] = mergeSlicing(asObject(base['slicing']), asObject(differential['slicing']));
  const constraints = added(objectsOf(base['constraint']), objectsOf(differential['constraint']), ({ key }) => key);
  if (constraints.length > 0) merged['constraint'] = constraints;
  for (const list of ['mapping', 'example', 'code', 'extension']) {
    const items = added(objectsOf(base[list]), objectsOf(differential[list]), item => JSON.stringify(item));
    if (items.length > 0) merged[list] = items;
  }
  for (const list of ['condition', 'alias', 'representation']) {
    const items = [...new Set([...stringsOf(base[list]), ...stringsOf(differential[list])])];
    if (items.length > 0) merged[list] = items;
  }
  // A fixed or pattern value replaces an earlier one of either kind.
  for (const kind of ['fixed', 'pattern'])
    if (valueKey(differential, kind) !== undefined) {
      const before = valueKey(base, kind);
      if (before !== undefined && before !== valueKey(differential, kind)) delete merged[before];
    }
  return merged;
}

/** `min` of an element, 0 if absent. */
export const minOf = ({ min }: JsonObject): number => (typeof min === 'number' ? min : 0);

/** `max` of an element as a number; Infinity for `*` and if absent. */
export const maxOf = ({ max }: JsonObject): number => (typeof max === 'string' && max !== '*' ? Number(max) : Infinity);

const valueKey = (element: JsonObject, kind: string): string | undefined =>
  Object.keys(element).find(key => key.startsWith(kind) && /^[A-Z]/.test(key.slice(kind.length)));

/**
 * HL7's tool takes neither the description nor the extensions of a binding of the base: a maximum ValueSet belongs to
 * the ValueSet beside it.
 */
function mergeBinding(base: JsonObject, differential: JsonObject): JsonObject {
  const { extension: _extension, description: _description, ...rest } = base;
  return { ...rest, ...differential };
}

function mergeSlicing(base: JsonObject, differential: JsonObject): JsonObject {
  const discriminator = added(objectsOf(base['discriminator']), objectsOf(differential['discriminator']), one =>
    JSON.stringify([one['type'], one['path']]),
  );
  return {
    ...base,
    ...differential,
    ...(discriminator.length === 0 ? {} : { discriminator }),
    ...(base['ordered'] === true ? { ordered: true } : {}),
    ...(base['rules'] === 'closed' ? { rules: 'closed' } : {}),
  };
}

/** The items of both, where a later one replaces an earlier one with the same key. */
function added(
  base: readonly JsonObject[],
  differential: readonly JsonObject[],
  keyOf: (item: JsonObject) => unknown,
): readonly JsonObject[] {
  const items = new Map([...base, ...differential].map(item => [keyOf(item), item]));
  return [...items.values()];
}
