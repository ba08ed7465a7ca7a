import { requireScope } from '../auth/may.ts';
import { fhirError } from '../fhir/error.ts';
import { isDeclared } from './declared.ts';
import { interactions } from './index.ts';
import type { Interaction } from './interaction.ts';
import { throwStoreFailure } from './store-failure.ts';

/**
 * The single door to every interaction, for requests as for entries of a Bundle: what is not declared is refused here, whoever
 * asks, and then what he has no scope for; then the interaction runs. Throws FhirError 405, 403, and 501 for what is declared but not served by this engine.
 * https://hl7.org/fhir/R4/http.html
 */
export const dispatch: Interaction = (engine, request) => {
  if (!isDeclared(engine.model, request)) {
    throw fhirError(405, 'not-supported', `The interaction ${request.interaction} is not supported.`);
  }
  requireScope(request.access, engine.model, request, request.base);
  const run = interactions[request.interaction];
  if (run === undefined) {
    throw fhirError(501, 'not-supported', `The interaction ${request.interaction} is declared, but not served yet.`);
  }
  return run(engine, request).catch(throwStoreFailure);
};
