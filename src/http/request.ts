import type { FhirRequest } from '../interaction/interaction.ts';
import type { Context } from './context.ts';

/** The request as a value, from what the steps before have read. */
export function fhirRequest({ state, req, method }: Context): FhirRequest {
  return {
    ...state.route,
    method,
    requestId: state.requestId,
    origin: state.origin,
    address: state.address,
    access: state.access,
    partition: state.partition,
    base: state.base,
    parameters: state.parameters,
    headers: req.headers as FhirRequest['headers'], // only Set-Cookie, which is no request header, is a list
    ...(state.body === undefined ? {} : { body: state.body }),
  };
}
