import { readFileSync } from 'node:fs';
import { asObject, asString, objectsOf } from '../../../src/fhir/json-object.ts';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { primitives } from '../../../src/fhir/primitive.ts';
import type { ElementDefinition, ElementType, TypeDefinition, TypeDefinitions } from '../../../src/model/element.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * JSON Schema (draft 07) of a resource type, from the definitions that the structure check has: types, cardinality,
 * primitives by the patterns that R4 publishes, nothing unknown, one type of a choice, the `_` siblings. A resource
 * within is any object with a `resourceType`. There is nothing in it of invariants, bindings, targets, slices and
 * profiles. `published` is the folder of the published StructureDefinitions.
 * https://json-schema.org/draft-07/json-schema-validation
 */
export function jsonSchemaOf(name: string, types: TypeDefinitions, published: string): Schema {
  const definitions: Record<string, Schema> = {};
  const refer = (key: string, make: () => Schema): Schema => {
    if (!Object.hasOwn(definitions, key)) {
      definitions[key] = {}; // one that leads back to itself
      definitions[key] = make();
    }
    return { $ref: `#/definitions/${key}` };
  };
  const typed = ({ code, content }: ElementType): Schema => {
    if (content !== undefined) return refer(content.name, () => objectOf(content));
    if (primitives.has(code)) return refer(code, () => primitiveOf(code, published));
    const definition = types.get(code);
    if (definition?.kind === 'resource')
      return refer('Resource', () => ({ type: 'object', required: ['resourceType'] }));
    if (definition === undefined) throw new Error(`The definitions lack the type ${code}`);
    return refer(code, () => objectOf(definition));
  };
  const element: ElementType = { code: 'Element', property: 'Element', targets: [] };
  const objectOf = ({ kind, name: type, properties, elements }: TypeDefinition): Schema => {
    const all: Record<string, Schema> = kind === 'resource' ? { resourceType: { const: type } } : {};
    for (const [property, { element: of, type: one }] of properties) {
      const primitive = one.content === undefined && primitives.has(one.code);
      const nullable = primitive && of.max > 1;
      all[property] = repeated(of, nullable ? { anyOf: [typed(one), { type: 'null' }] } : typed(one));
      if (!primitive || (of.name === 'id' && kind !== 'resource')) continue;
      all[`_${property}`] = repeated(of, nullable ? { anyOf: [typed(element), { type: 'null' }] } : typed(element));
    }
    const choices = [...elements.values()].filter(({ choice, types: several }) => choice && several.length > 1);
    const required = [...elements.values()].filter(({ min }) => min > 0);
    return {
      type: 'object',
      minProperties: 1,
      additionalProperties: false,
      properties: all,
      ...(kind === 'resource' ? { required: ['resourceType'] } : {}),
      ...(required.length === 0 ? {} : { allOf: required.map(of => someOf(namesOf(of, all))) }),
      dependencies: Object.fromEntries(choices.flatMap(of => alone(of, all))),
    };
  };
  const definition = types.get(name);
  if (definition === undefined) throw new Error(`The definitions lack the type ${name}`);
  return { ...refer(name, () => objectOf(definition)), definitions };
}

const namesOf = ({ types }: ElementDefinition, all: Readonly<Record<string, Schema>>): readonly string[] =>
  types.flatMap(({ property }) => [property, `_${property}`]).filter(property => Object.hasOwn(all, property));

const someOf = (names: readonly string[]): Schema => ({ anyOf: names.map(name => ({ required: [name] })) });

const repeated = ({ max }: ElementDefinition, items: Schema): Schema =>
  max <= 1 ? items : { type: 'array', minItems: 1, ...(max === Infinity ? {} : { maxItems: max }), items };

/** Where one type of a choice is there, no other is. */
const alone = (of: ElementDefinition, all: Readonly<Record<string, Schema>>): readonly [string, Schema][] =>
  namesOf(of, all).map(property => {
    const plain = property.replace(/^_/, '');
    const others = namesOf(of, all).filter(other => other.replace(/^_/, '') !== plain);
    return [property, { properties: Object.fromEntries(others.map(other => [other, false])) }];
  });

function primitiveOf(code: string, published: string): Schema {
  if (code === 'boolean') return { type: 'boolean' };
  // as published
  const { snapshot } = JSON.parse(readFileSync(`${published}/StructureDefinition-${code}.json`, 'utf8')) as JsonObject;
  const value = objectsOf(asObject(snapshot)['element']).find(({ path }) => path === `${code}.value`);
  const [type] = objectsOf(value?.['type']);
  const regex = asString(objectsOf(type?.['extension']).find(({ url }) => url === regexUrl)?.['valueString']);
  if (code === 'decimal') return { type: 'number' };
  if (primitives.get(code)?.json === 'number')
    return { type: 'integer', minimum: least.get(code), maximum: 2147483647 };
  return { type: 'string', minLength: 1, ...(regex === undefined ? {} : { pattern: `^(?:${regex})$` }) };
}

/** https://hl7.org/fhir/R4/datatypes.html#integer */
const least = new Map([
  ['integer', -2147483648],
  ['unsignedInt', 0],
  ['positiveInt', 1],
]);
const regexUrl = 'http://hl7.org/fhir/StructureDefinition/regex';
