import type { Interaction } from '../interaction.ts';
import type { OperationImplementation } from './implementation.ts';
import { metaAdd, metaDelete } from './change-meta.ts';
import { everything } from './everything/everything.ts';
import { lastn } from './lastn/lastn.ts';
import { meta } from './meta.ts';
import { expand } from './terminology/expand.ts';
import { lookup } from './terminology/lookup.ts';
import { subsumes } from './terminology/subsumes.ts';
import { translate } from './terminology/translate.ts';
import { validateCode } from './terminology/validate-code.ts';
import { validate } from './validate.ts';

/**
 * Every operation that the engine implements, by code: the definitions select those that it serves, and one that they
 * declare and that is not here prevents the start.
 */
export const operations: ReadonlyMap<string, OperationImplementation> = new Map(
  [everything, expand, lastn, lookup, meta, metaAdd, metaDelete, subsumes, translate, validate, validateCode].map(
    one => [one.code, one],
  ),
);

/** Runs the requested operation; dispatch rejects undeclared ones. https://hl7.org/fhir/R4/operations.html */
export const operation: Interaction = async (engine, request, partition) => {
  const found = operations.get(request.operation ?? '');
  if (found === undefined) throw new Error(`The operation ${request.operation} is declared but not implemented`);
  return found.run(engine, request, partition);
};
