import type { Operation } from '../model/model.ts';
import type { Call } from './calls.ts';
import type { Description } from './description.ts';
import { requestBody, resourceResponse } from './responses.ts';
import { typeSchema } from './schemas.ts';
import type { Source } from './source.ts';

/** https://hl7.org/fhir/R4/operations.html#executing */
export function describeOperation(call: Call, { code, url }: Operation, source: Source): Description {
  const { type, method, hasId } = call;
  const of = type === undefined ? '' : hasId ? ` of one ${type.name}` : ` of ${type.name}`;
  const names = ['Parameters', ...(type === undefined || type.name === 'Parameters' ? [] : [type.name])];
  const body = source.components.share('requestBodies', `operation-${type?.name ?? 'System'}`, () => ({
    ...requestBody({ anyOf: names.map(name => typeSchema(name, source)) }),
    required: false,
  }));
  return {
    summary: `\`$${code}\`${of}: ${url}`,
    ...(method === 'post' ? { body } : {}),
    responses: { 200: source.components.share('responses', 'result', () => resourceResponse('The result.', source)) },
    errors: [400, ...(hasId ? ([404, 410] as const) : [])],
  };
}
