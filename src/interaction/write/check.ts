import type { Decimals } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import { policyOf, weighing } from '../../validation/policy.ts';
import type { ValidationIssue } from '../../validation/profile/validator.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { LoadContext } from './context.ts';

/**
 * What is wrong with a parsed record of a type: its structure as errors, R4's other rules and profiles as the `validation-policy`
 * says, which is as warnings where it says nothing. `keptApart`: it brings no content, since that was kept apart before.
 * https://hl7.org/fhir/R4/validation.html
 */
export function checkRecord(
  { model, validator }: Pick<LoadContext, 'model' | 'validator'>,
  type: ResourceType | undefined,
  value: unknown,
  decimals: Decimals,
  keptApart: boolean,
): readonly ValidationIssue[] {
  const profiles = type?.profile === undefined ? [] : [type.profile];
  if (type === undefined || (profiles.length === 0 && policyOf(type, 'load') === 'off'))
    return checkStructure(value, model, undefined, { decimals });
  return validator.validate(value, { profiles, decimals, weigh: weighing(type, { occasion: 'load', keptApart }) });
}

/** What warnings are counted by. */
export type Warning = 'invariants' | 'bindings' | 'other rules';

/** What kind of rule is broken. */
export function warningOf({ code }: Issue): Warning {
  if (code === 'invariant') return 'invariants';
  return code === 'code-invalid' ? 'bindings' : 'other rules';
}
