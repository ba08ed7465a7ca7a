import { dispatch } from '../../interaction/dispatch.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Handler, Respond } from '../context.ts';
import { fhirRequest } from '../request.ts';

/** Runs the interaction and sends its answer. */
export function answer(engine: Engine, respond: Respond): Handler {
  return async context => respond(context, await dispatch(engine, fhirRequest(context)));
}
