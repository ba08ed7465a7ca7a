import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { primitives } from '../fhir/primitive.ts';
import type { ElementDefinition, Property, TypeDefinition } from '../model/element.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { profiledDefinition } from '../model/type-definitions.ts';
import { exampleRecord } from './example-record.ts';
import type { Source } from './source.ts';

/** The schema of a primitive type; undefined for other types. https://hl7.org/fhir/R4/datatypes.html#primitive */
function primitiveSchema(name: string, model: Model): JsonObject | undefined {
  const primitive = primitives.get(name);
  switch (primitive?.json) {
    case undefined:
      return undefined;
    case 'boolean':
      return { type: 'boolean' };
    case 'number':
      if (!primitive.integer) return { type: 'number', description: primitive.wanted };
      return { type: 'integer', minimum: lows.find(low => primitive.is(low)), maximum: 2147483647 };
    case 'string': {
      const pattern = withoutPattern.has(name) ? undefined : patternOf(name, model);
      return { type: 'string', ...(pattern === undefined ? {} : { pattern }), description: primitive.wanted };
    }
    default:
      return primitive satisfies never;
  }
}

/** Lowest values of the integer types. */
const lows = [-2147483648, 0, 1];

/** The pattern of base64Binary takes exponential time on some texts, and that of a text accepts almost everything. */
const withoutPattern = new Set(['base64Binary', 'string', 'markdown', 'xhtml']);

const regex = 'http://hl7.org/fhir/StructureDefinition/regex';

/** The pattern of the type's StructureDefinition. https://hl7.org/fhir/R4/extension-regex.html */
function patternOf(name: string, model: Model): string | undefined {
  const value = model.snapshot(name)?.elements.find(({ path }) => path === `${name}.value`);
  const [type] = objectsOf(value?.['type']);
  const text = asString(objectsOf(type?.['extension']).find(({ url }) => url === regex)?.['valueString']);
  return text === undefined ? undefined : `^(${text})$`;
}

/**
 * The reference to the schema of a type of R4 (`HumanName`, `date`), which is added to the components. A declared
 * resource type has the elements of the profile that each of its records must meet.
 * https://spec.openapis.org/oas/v3.1.1.html#schema-object
 */
export function typeSchema(name: string, source: Source): JsonObject {
  const { model, components } = source;
  const definition = model.definitions.get(name);
  if (definition === undefined || (definition.abstract && definition.kind === 'resource')) return anyResource(source);
  return components.share('schemas', name, () => {
    const type = model.types.get(name);
    if (type !== undefined) return resourceSchema(type, source);
    return primitiveSchema(name, model) ?? objectSchema(definition, name, source);
  });
}

function resourceSchema(type: ResourceType, source: Source): JsonObject {
  const { profile, supportedProfiles, name } = type;
  const supported = supportedProfiles.flatMap(canonical => {
    const ref = profileSchema(type, canonical, source);
    return ref === undefined ? [] : [`\`${canonical}\`: ${nameIn(ref)}`];
  });
  const notes = [
    ...(profile === undefined ? [] : [`Each record conforms to \`${profile}\`.`]),
    ...(supported.length === 0 ? [] : [`Schemas of the supported profiles: ${supported.join('; ')}.`]),
  ];
  const description = notes.length === 0 ? {} : { description: notes.join(' ') };
  return { ...description, ...objectSchema(definitionOf(type, source), name, source) };
}

/** The reference to an example of a declared type. */
export function recordExample(name: string, source: Source): JsonObject {
  const type = source.model.types.get(name);
  if (type === undefined) throw new Error(`${name} is not declared`);
  return source.components.share('examples', name, () => ({
    value: exampleRecord(definitionOf(type, source), type.attachment, source),
  }));
}

/** The elements of a type in the profile that each of its records must meet. */
function definitionOf({ definition, profile }: ResourceType, { model }: Source): TypeDefinition {
  const snapshot = profile === undefined ? undefined : model.snapshot(profile);
  return snapshot === undefined ? definition : profiledDefinition(snapshot);
}

/** The schema of the records that claim a supported profile; undefined if it is not loaded. */
function profileSchema({ name }: ResourceType, canonical: string, source: Source): JsonObject | undefined {
  const snapshot = source.model.snapshot(canonical);
  if (snapshot === undefined) return undefined;
  const last = snapshot.url.slice(snapshot.url.lastIndexOf('/') + 1).replaceAll(/[^\w.-]/g, '-');
  const key = `${name}-${last}`;
  return source.components.share('schemas', key, () => ({
    description: `A record that claims \`${canonical}\`.`,
    ...objectSchema(profiledDefinition(snapshot), key, source),
  }));
}

const nameIn = ({ $ref }: JsonObject): string => `\`${String($ref).replace(/.*\//, '')}\``;

/** Any resource of R4, also of an undeclared type. https://hl7.org/fhir/R4/resource.html */
export const anyResource = (source: Source): JsonObject =>
  source.components.share('schemas', 'Resource', () => ({
    description: 'Any resource.',
    type: 'object',
    required: ['resourceType'],
    properties: {
      resourceType: { type: 'string' },
      id: typeSchema('id', source),
      meta: typeSchema('Meta', source),
    },
  }));

/** `key`: of the schema; the schemas of its backbone elements continue it. */
function objectSchema(definition: TypeDefinition, key: string, source: Source): JsonObject {
  const isResource = definition.kind === 'resource';
  const root = definition.name.split('.', 1)[0] ?? '';
  const base = key.slice(0, key.length - (definition.name.length - root.length));
  const isWriteOnly = (name: string): boolean =>
    source.model.types.get(root)?.attachment?.path === `${definition.name}.${name}`; // no answer contains it
  const own = [...definition.properties].filter(([, { element }]) => element.max > 0);
  const properties = own.map(([name, property]) => {
    const schema = valueSchema(property, { root, base }, source);
    return [name, isWriteOnly(name) ? { ...schema, writeOnly: true } : schema];
  });
  const required = [...definition.elements.values()].filter(
    ({ name, min, max, choice }) => min > 0 && max > 0 && !choice && !isWriteOnly(name),
  );
  return {
    type: 'object',
    ...list('required', [...(isResource ? ['resourceType'] : []), ...required.map(({ name }) => name)]),
    properties: {
      ...(isResource ? { resourceType: { type: 'string', const: definition.name } } : {}),
      ...Object.fromEntries(properties),
    },
  };
}

interface Within {
  /** The name of the type at the root of the definition. */
  readonly root: string;
  /** The key of its schema. */
  readonly base: string;
}

function valueSchema({ element, type }: Property, { root, base }: Within, source: Source): JsonObject {
  const { content, code } = type;
  const one =
    content === undefined || primitives.has(code)
      ? (codeSchema(element, code, source) ?? typeSchema(code, source))
      : nestedSchema(content, base + content.name.slice(root.length).replaceAll('[x]', ''), source);
  const { min, max } = element;
  if (max === 1) return one;
  return {
    type: 'array',
    items: one,
    ...(min > 0 ? { minItems: min } : {}),
    ...(max === Infinity ? {} : { maxItems: max }),
  };
}

/** The reference to the schema of a backbone element, under a key. */
export const nestedSchema = (content: TypeDefinition, key: string, source: Source): JsonObject =>
  source.components.share('schemas', key, () => objectSchema(content, key, source));

/** The codes of a required binding, if they are few. https://hl7.org/fhir/R4/terminologies.html#required */
function codeSchema({ binding }: ElementDefinition, code: string, { fewCodes }: Source): JsonObject | undefined {
  const codes = code === 'code' && binding?.strength === 'required' ? fewCodes(binding.valueSet) : undefined;
  return codes === undefined ? undefined : { type: 'string', enum: codes };
}

const list = (name: string, values: readonly string[]): JsonObject => (values.length === 0 ? {} : { [name]: values });
