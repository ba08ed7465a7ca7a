import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { primitives } from '../fhir/primitive.ts';
import type { Model } from '../model/model.ts';

/** The schema of a primitive type; undefined for other types. https://hl7.org/fhir/R4/datatypes.html#primitive */
export function primitiveSchema(name: string, model: Model): JsonObject | undefined {
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
