import type { JsonObject } from '../fhir/json-object.ts';
import type { Call } from './calls.ts';
import { describe } from './describe.ts';
import { errorResponses } from './errors.ts';
import { formBody, queryParameters } from './fields.ts';
import { headerParameters } from './headers.ts';
import type { Source } from './source.ts';

/** The tag of calls that are about no single type. */
export const systemTag = 'System';

/** The Operation Object of a call. https://spec.openapis.org/oas/v3.1.1.html#operation-object */
export function callObject(call: Call, source: Source): JsonObject {
  const { summary, fields = [], isForm = false, headers = [], body, responses, errors } = describe(call, source);
  const parameters = [...(isForm ? [] : queryParameters(fields, source)), ...headerParameters(headers, source)];
  const requestBody = isForm ? formBody(fields) : body;
  return {
    operationId: operationIdOf(call),
    tags: [call.type?.name ?? call.compartment?.type.name ?? systemTag],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...responses, ...errorResponses(errors, source) },
    ...source.securityOf(call),
  };
}

/** The parameters of all calls of a path. https://spec.openapis.org/oas/v3.1.1.html#path-item-object */
export function pathParameters({ path, compartment }: Call, { components }: Source): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    components.shareEqual('parameters', name, {
      name,
      in: 'path',
      required: true,
      ...(name === 'member'
        ? { schema: { type: 'string', enum: compartment?.members ?? [] } }
        : { schema: { type: 'string', pattern: '^[A-Za-z0-9\\-.]{1,64}$' }, example: name === 'id' ? '123' : '1' }),
    }),
  );
}

/** Unique in the document: the interaction, the type, and what tells calls of one interaction apart. */
function operationIdOf({ interaction, type, compartment, operation, method, hasId }: Call): string {
  if (operation !== undefined) {
    const level = type === undefined ? 'System' : hasId ? 'Instance' : 'Type';
    const get = method === 'get' ? 'ByGet' : '';
    return `operation${pascal(operation.code)}${type === undefined ? '' : `On${type.name}`}${level}${get}`;
  }
  const [verb = '', level = ''] = interaction.split('-');
  const form = verb === 'search' && method === 'post' ? 'ByForm' : '';
  if (compartment !== undefined) {
    const member = compartment.members === undefined ? 'All' : 'One';
    return `${verb}${member}TypeInCompartmentOf${compartment.type.name}${form}`;
  }
  const isConditional = type !== undefined && !hasId && ['update', 'patch', 'delete'].includes(interaction);
  const suffix = isConditional ? 'ByCriteria' : level === 'type' && verb !== 'search' ? 'OfType' : form;
  return `${verb}${type?.name ?? (level === 'system' ? systemTag : '')}${suffix}`;
}

const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
