import { fhirError } from '../../fhir/error.ts';
import type { Interaction } from '../interaction.ts';
import { validate } from './validate.ts';

/** Every operation that the engine can serve, by code; which of them it does serve, the definitions say. */
export const operations: Readonly<Record<string, Interaction>> = { validate };

/** Runs the operation that is asked for. Throws FhirError 501 for one that is declared but not served by this engine. https://hl7.org/fhir/R4/operations.html */
export const operation: Interaction = async (engine, request) => {
  const name = request.operation ?? '';
  const run = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (run !== undefined) return run(engine, request);
  throw fhirError(501, 'not-supported', `The operation \`$${name}\` is declared, but not served yet.`);
};
