import { primitives } from '../fhir/primitive.ts';
import type { Operation } from '../model/model.ts';
import type { Call } from './calls.ts';
import type { Description } from './description.ts';
import { requestBody, resourceResponse } from './responses.ts';
import { typeSchema } from './schemas.ts';
import type { Field } from './search-fields.ts';
import type { Source } from './source.ts';

/** https://hl7.org/fhir/R4/operations.html#executing */
export function describeOperation(call: Call, operation: Operation, source: Source): Description {
  const { type, method, hasId } = call;
  const of = type === undefined ? '' : hasId ? ` of one ${type.name}` : ` of ${type.name}`;
  const names = ['Parameters', ...(type === undefined ? [] : [type.name])];
  const body = {
    ...requestBody({ anyOf: [...new Set(names)].map(name => typeSchema(name, source)) }),
    required: false,
  };
  const result = source.components.share('responses', 'result', () => resourceResponse('The result.', source));
  return {
    summary: `\`$${operation.code}\`${of}: ${operation.url}`,
    fields: fieldsOf(operation, method, source),
    ...(method === 'post' ? { body } : {}),
    responses: { 200: result },
    errors: [400, ...(hasId ? ([404, 410] as const) : [])],
  };
}

/** The parameters that a URL can have: those of primitive types, and all of a search, whose values are texts. */
const fieldsOf = ({ parameters, query }: Operation, method: Call['method'], source: Source): readonly Field[] =>
  [...parameters.values()].flatMap(({ name, type = '', max, min, supported }) => {
    const isPrimitive = primitives.has(type);
    if (!supported || (!isPrimitive && query === undefined)) return [];
    const one = isPrimitive ? typeSchema(type, source) : { type: 'string' };
    return [{ name, schema: max === 1 ? one : { type: 'array', items: one }, required: method === 'get' && min > 0 }];
  });
