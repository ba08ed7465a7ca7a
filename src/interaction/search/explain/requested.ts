import { badValue } from '../../../fhir/error.ts';
import type { Model } from '../../../model/model.ts';
import type { QueryPair } from '../../../search/request.ts';

/** Whether a search is explained, and its other parameters. */
export interface ExplainRequest {
  readonly explain: boolean;
  readonly parameters: readonly QueryPair[];
}

/**
 * Takes `_explain` from the parameters of a search. Where no capability file declares it, it stays among them, as an
 * unknown one. Throws FhirError 400 if it is repeated, or neither `true` nor `false`.
 */
export function readExplain({ explainScopes }: Model, parameters: readonly QueryPair[]): ExplainRequest {
  const given = explainScopes.size === 0 ? [] : parameters.filter(([name]) => name === '_explain');
  const [pair, other] = given;
  if (pair === undefined) return { explain: false, parameters };
  const [, value] = pair;
  if (other !== undefined) throw badValue('_explain', '`_explain` is repeated: send it once.');
  if (value !== 'true' && value !== 'false')
    throw badValue('_explain', `\`${value}\` is not a value for \`_explain\`: write \`true\` or \`false\`.`);
  return { explain: value === 'true', parameters: parameters.filter(([name]) => name !== '_explain') };
}
