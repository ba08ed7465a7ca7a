import type { ParsedJson } from '../../fhir/json.ts';
import type { ResourceType } from '../../model/model.ts';
import type { ValidationIssue, Weigh } from '../../validation/profile/findings.ts';
import { inTurn } from '../../validation/turns.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import type { WriteContext } from './context.ts';

/** Maximum number of findings in an answer. */
export const mostIssues = 100;

/**
 * Budget of the checks of one request: many times what a valid body needs, so that a hostile one does not block others
 * for long.
 */
const validationBudget = 500_000;

/**
 * Findings by the definitions about a client's resource, with their severities: structure, rules of R4, the profile of
 * its type and those in `others`. Requests with costly checks take turns. https://hl7.org/fhir/R4/validation.html
 */
export async function validateInTurn(
  engine: Engine,
  type: ResourceType,
  { value, decimals }: Pick<ParsedJson, 'value' | 'decimals'>,
  weigh: Weigh,
  others: readonly string[] = [],
): Promise<readonly ValidationIssue[]> {
  const validator = await engine.validator();
  const profiles = type.profile === undefined ? others : [type.profile, ...others];
  const options = { type: type.name, profiles, decimals, weigh, limit: mostIssues, budget: validationBudget };
  return inTurn(() => validator.validateWithServer(value, options));
}

/** The context of the write of a request: that of a separate one, unless it is an entry of a transaction. */
export const contextOf = (engine: Engine, { writing }: Pick<FhirRequest, 'writing'>): WriteContext =>
  writing ?? {
    occasion: 'create',
    validate: (type, parsed, weigh) => validateInTurn(engine, type, parsed, weigh),
    newId: engine.newId,
    begin: (...of) => engine.audit.begin(...of),
  };
