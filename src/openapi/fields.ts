import type { JsonObject } from '../fhir/json-object.ts';
import type { Field } from './search-fields.ts';
import type { Source } from './source.ts';

/**
 * The references to the fields as parameters of a query. https://spec.openapis.org/oas/v3.1.1.html#parameter-object
 */
export const queryParameters = (fields: readonly Field[], { components }: Source): readonly JsonObject[] =>
  fields.map(({ name, description, schema, example, required, isObject }) =>
    components.shareEqual('parameters', name, {
      name,
      in: 'query',
      ...(description === undefined ? {} : { description }),
      ...(required === true ? { required } : {}),
      ...(isObject === true ? { style: 'form', explode: true } : {}),
      schema,
      ...(example === undefined ? {} : { example }),
    }),
  );

/** The body with the fields as a form. https://hl7.org/fhir/R4/search.html#Introduction */
export function formBody(fields: readonly Field[]): JsonObject {
  const properties = fields.filter(({ isObject }) => isObject !== true).map(({ name, schema }) => [name, schema]);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: true,
  };
  return { content: { 'application/x-www-form-urlencoded': { schema } } };
}
