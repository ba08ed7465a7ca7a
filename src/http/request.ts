import type { FhirRequest } from '../interaction/interaction.ts';
import type { Context } from './context.ts';

/** The request as a value, from what the steps before have read. */
export function fhirRequest({ state, req, method }: Context): FhirRequest {
  const { interaction, resourceType, id, version } = state.route;
  return {
    interaction,
    method,
    partition: state.partition,
    base: state.base,
    parameters: state.parameters,
    headers: req.headers as FhirRequest['headers'], // only Set-Cookie, which is no request header, is a list
    ...(resourceType === undefined ? {} : { resourceType }),
    ...(id === undefined ? {} : { id }),
    ...(version === undefined ? {} : { version }),
    ...(state.body === undefined ? {} : { body: state.body }),
  };
}
