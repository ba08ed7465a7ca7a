import { asObject } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { TypeDefinition } from '../model/element.ts';
import type { ResourceType } from '../model/model.ts';
import { anyResource, nestedSchema, recordExample, typeSchema } from './schemas.ts';
import type { Source } from './source.ts';

/** The Content-Type of answers. https://hl7.org/fhir/R4/http.html#mime-type */
const fhirJson = 'application/fhir+json';

/** A body of FHIR JSON; `example` is the reference to one. */
export const fhirContent = (schema: JsonObject, example?: JsonObject): JsonObject => ({
  content: { [fhirJson]: mediaType(schema, example) },
});

/** A body of a request, under both names of the format. */
export const requestBody = (schema: JsonObject, example?: JsonObject): JsonObject => ({
  required: true,
  content: { [fhirJson]: mediaType(schema, example), 'application/json': mediaType(schema, example) },
});

const mediaType = (schema: JsonObject, example?: JsonObject): JsonObject =>
  example === undefined ? { schema } : { schema, examples: { example } };

/**
 * The body of a write. Bodies are not shared: an importer that leaves references in cycles as they are, as Insomnia's
 * does, would find none.
 */
export const recordBody = ({ name }: ResourceType, source: Source): JsonObject =>
  withContent(name, requestBody(typeSchema(name, source), recordExample(name, source)));

/** The response with a record. */
export const recordResponse = ({ name }: ResourceType, source: Source): JsonObject =>
  source.components.share('responses', name, () => ({
    description: `The ${name}; nothing, or an OperationOutcome, if a write prefers that.`,
    headers: versionHeaders(source),
    ...withContent(name, fhirContent(typeSchema(name, source), recordExample(name, source))),
  }));

/** A body that may also be the content of a Binary. https://hl7.org/fhir/R4/binary.html#rest */
const withContent = (name: string, body: JsonObject): JsonObject =>
  name === 'Binary' ? { ...body, content: { ...asObject(body['content']), '*/*': {} } } : body;

/** The response to a create, with the address of the record. */
export const createdResponse = ({ name }: ResourceType, source: Source): JsonObject =>
  source.components.share('responses', `${name}-created`, () => ({
    description: `The created ${name}.`,
    headers: { ...versionHeaders(source), Location: header('Location', 'The URL of the version.', source) },
    ...fhirContent(typeSchema(name, source), recordExample(name, source)),
  }));

const versionHeaders = (source: Source): JsonObject => ({
  ETag: header('ETag', 'The version, such as `W/"1"`.', source),
  'Last-Modified': header('Last-Modified', 'When the version was stored.', source),
});

/** A header of an answer; `key` is its name among the shared parts. */
export const header = (key: string, description: string, { components }: Source): JsonObject =>
  components.share('headers', key, () => ({ description, schema: { type: 'string' } }));

/** The response with a page of records or versions of the types; undefined for all types. */
export function bundleResponse(type: ResourceType | undefined, source: Source): JsonObject {
  const { components } = source;
  const key = type === undefined ? 'Bundle-of-all' : `Bundle-of-${type.name}`;
  return components.share('responses', key, () => ({
    description: 'A page.',
    ...fhirContent(components.share('schemas', key, () => pageSchema(type, source))),
  }));
}

/** The response to a search: a page, or what `_explain` says of the search where the interface offers that. */
export function searchResponse(type: ResourceType | undefined, source: Source): JsonObject {
  const { components, model } = source;
  if (model.explainScopes.size === 0) return bundleResponse(type, source);
  const key = type === undefined ? 'Bundle-of-all' : `Bundle-of-${type.name}`;
  return components.share('responses', `${key}-or-explanation`, () => ({
    description: 'A page; with `_explain=true` a Parameters resource that says how the search is understood.',
    ...fhirContent({
      anyOf: [components.share('schemas', key, () => pageSchema(type, source)), typeSchema('Parameters', source)],
    }),
  }));
}

/** A searchset or history. https://hl7.org/fhir/R4/bundle.html */
function pageSchema(type: ResourceType | undefined, source: Source): JsonObject {
  const bundle = contentOf(source.model.definitions.get('Bundle'));
  const entry = contentOf(bundle.properties.get('entry')?.type.content);
  const part = (of: TypeDefinition, name: string): JsonObject => {
    const content = contentOf(of.properties.get(name)?.type.content);
    return nestedSchema(content, content.name, source);
  };
  const isMixed = type === undefined || type.includes.forward.size > 0 || type.includes.reverse.size > 0;
  const resource = isMixed ? declaredResource(source) : oneOf([type.name, 'OperationOutcome'], source);
  const parts = ['search', 'request', 'response'].map(name => [name, part(entry, name)]);
  const properties = { fullUrl: typeSchema('uri', source), resource, ...Object.fromEntries(parts) };
  return {
    type: 'object',
    required: ['resourceType', 'type'],
    properties: {
      resourceType: { type: 'string', const: bundle.name },
      id: typeSchema('id', source),
      meta: typeSchema('Meta', source),
      type: { type: 'string', enum: ['searchset', 'history'] },
      total: typeSchema('unsignedInt', source),
      link: { type: 'array', items: part(bundle, 'link') },
      entry: { type: 'array', items: { type: 'object', properties } },
    },
  };
}

function contentOf(definition: TypeDefinition | undefined): TypeDefinition {
  if (definition === undefined) throw new Error('The definition of Bundle is incomplete');
  return definition;
}

const oneOf = (names: readonly string[], source: Source): JsonObject => ({
  anyOf: [...new Set(names)].map(name => typeSchema(name, source)),
});

/** A record of any declared type, or an OperationOutcome. */
const declaredResource = (source: Source): JsonObject =>
  source.components.share('schemas', 'AnyRecord', () =>
    oneOf([...source.model.types.keys(), 'OperationOutcome'], source),
  );

/** The response with any resource. */
export const resourceResponse = (description: string, source: Source): JsonObject => ({
  description,
  ...fhirContent(anyResource(source)),
});
