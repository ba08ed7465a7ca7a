import { isExactObject } from '../../fhir/exact-json.ts';
import type { ExactJson, ExactObject } from '../../fhir/exact-json.ts';
import { isA } from '../../fhirpath/result-type.ts';
import { asString } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { ElementDefinition, ElementType, TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import type { Placed } from './edit.ts';

/** A value of a part for an element: its JSON property, and what is placed there. */
export interface PartValue extends Placed<ExactJson> {
  readonly property: string;
}

/** A value that does not fit: `why` is a sentence; `element` leads to it, after the part. */
export class WrongValue extends Error {
  readonly element: string;

  constructor(why: string, element = '') {
    super(why);
    this.name = 'WrongValue';
    this.element = element;
  }
}

/**
 * The value of a part, which is a `value[x]`, a resource, or parts with the children of a type without a name. Throws
 * WrongValue if it is not of a type of the element. https://hl7.org/fhir/R4/fhirpatch.html
 */
export function valueOf(part: ExactObject, element: ElementDefinition, types: TypeDefinitions): PartValue {
  const { resource, part: parts } = part;
  if (resource !== undefined) {
    if (element.types.some(({ code }) => types.get(code)?.kind === 'resource'))
      return { property: element.name, value: resource, sibling: undefined };
    throw new WrongValue(`\`${element.name}\` is not a resource.`, '.resource');
  }
  if (parts !== undefined) return { property: element.name, value: build(parts, element, types), sibling: undefined };
  const found = Object.keys(part).find(name => /^_?value[A-Z]/.test(name));
  if (found === undefined) throw new WrongValue('It has no value.');
  const name = found.replace(/^_/, '');
  const given = typeOfValue(name, types);
  const type = element.types.find(one => (element.choice ? one.code === given : isFitting(given, one, types)));
  if (type === undefined) {
    const wanted = element.types.map(({ code }) => `\`${code}\``).join(', ');
    throw new WrongValue(`\`${element.name}\` takes ${wanted}, not \`${given}\`.`);
  }
  return { property: type.property, value: part[name], sibling: part[`_${name}`] };
}

/** https://hl7.org/fhir/R4/parameters-definitions.html#Parameters.parameter.value_x_ */
function typeOfValue(name: string, types: TypeDefinitions): string {
  const parameter = types.get('Parameters')?.elements.get('parameter')?.types[0]?.content;
  return parameter?.properties.get(name)?.type.code ?? name;
}

/**
 * Whether a value of a type may be that of an element of one type. Texts of a `string` are accepted by all primitives
 * that are texts, and dates by all that are times: the whole record is validated afterwards.
 */
function isFitting(given: string, { code, content }: ElementType, types: TypeDefinitions): boolean {
  if (content !== undefined) return false;
  if (isA(given, code, types) || isA(code, given, types)) return true;
  if (types.get(code)?.kind !== 'primitive-type') return false;
  if (given === 'string') return !notTexts.has(code);
  return times.has(given) && times.has(code);
}

const notTexts: ReadonlySet<string> = new Set(['boolean', 'decimal', 'integer', 'unsignedInt', 'positiveInt']);
const times: ReadonlySet<string> = new Set(['date', 'dateTime', 'instant']);

/** An object of its children, each a part with the name of an element. */
function build(parts: ExactJson, element: ElementDefinition, types: TypeDefinitions): ExactJson {
  const [type] = element.types;
  const definition = type?.content ?? types.get(type?.code ?? '');
  if (element.choice || definition === undefined || definition.kind === 'primitive-type')
    throw new WrongValue(`\`${element.name}\` takes a \`value[x]\`, not parts.`, '.part');
  const object: ExactObject = {};
  const list = Array.isArray(parts) ? parts.filter(isExactObject) : [];
  for (const [at, part] of list.entries()) {
    const child = childOf(definition, asString(part['name']) ?? '', at);
    try {
      add(object, child, valueOf(part, child, types));
    } catch (error) {
      throw error instanceof WrongValue ? new WrongValue(error.message, `.part[${at}]${error.element}`) : error;
    }
  }
  return object;
}

function childOf({ name: owner, elements }: TypeDefinition, name: string, at: number): ElementDefinition {
  const child = elements.get(name);
  if (child !== undefined) return child;
  throw new WrongValue(`${owner} has no element \`${name}\`.${didYouMean(name, elements.keys())}`, `.part[${at}].name`);
}

function add(object: ExactObject, element: ElementDefinition, { property, value, sibling }: PartValue): void {
  const beside = `_${property}`;
  if (element.max <= 1) {
    if (element.types.some(one => one.property in object || `_${one.property}` in object))
      throw new WrongValue(`\`${element.name}\` is repeated.`);
    if (value !== undefined) object[property] = value;
    if (sibling !== undefined) object[beside] = sibling;
    return;
  }
  const [values, siblings] = [listOf(object[property]), listOf(object[beside])];
  const length = Math.max(values.length, siblings.length);
  for (const [name, list, item] of [
    [property, values, value],
    [beside, siblings, sibling],
  ] as const) {
    if (item === undefined && list.length === 0) continue;
    while (list.length < length) list.push(null);
    list.push(item ?? null);
    object[name] = list;
  }
}

const listOf = (value: ExactJson | undefined): ExactJson[] => (Array.isArray(value) ? value : []);
