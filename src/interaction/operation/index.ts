import { operationOf } from '../../model/operation-call.ts';
import type { Interaction } from '../interaction.ts';
import { search } from '../search/search.ts';
import { searchPairs } from './arguments.ts';
import { metaAdd, metaDelete } from './change-meta.ts';
import { everything } from './everything/everything.ts';
import type { OperationCode } from '../../model/implemented.ts';
import { lastn } from './lastn/lastn.ts';
import { meta } from './meta.ts';
import { parameterStatus } from './parameter-status.ts';
import { snapshot } from './snapshot.ts';
import { expand } from './terminology/expand.ts';
import { lookup } from './terminology/lookup.ts';
import { subsumes } from './terminology/subsumes.ts';
import { translate } from './terminology/translate.ts';
import { validateCode } from './terminology/validate-code.ts';
import { validate } from './validate.ts';

/** What answers the calls of each operation, but for those of later folders (`Engine.operations`). */
const interactions: Readonly<
  Record<Exclude<OperationCode, 'export' | `sql-${string}` | `viewdefinition-${string}`>, Interaction>
> = {
  everything,
  expand,
  lastn,
  lookup,
  meta,
  'meta-add': metaAdd,
  'meta-delete': metaDelete,
  snapshot,
  status: parameterStatus,
  subsumes,
  translate,
  validate,
  'validate-code': validateCode,
};
const byCode = new Map<string, Interaction>(Object.entries(interactions));

/**
 * Runs the requested operation, of which one with criteria is a search; dispatch rejects undeclared ones.
 * https://hl7.org/fhir/R4/operations.html
 */
export const operation: Interaction = async (engine, request, partition) => {
  if (operationOf(engine.model, request)?.query !== undefined)
    return search(engine, { ...request, parameters: searchPairs(engine, request) }, partition);
  const code = request.operation ?? '';
  const found = byCode.get(code) ?? engine.operations.get(code);
  if (found === undefined) throw new Error(`The operation ${request.operation} is declared but not implemented`);
  return found(engine, request, partition);
};
