import { setImmediate } from 'node:timers/promises';
import { isUcumCode } from '../fhir/ucum.ts';
import type { ResourceType } from '../model/model.ts';
import type { Validator } from './profile/validator.ts';

/**
 * Does the work that the first create of each type would wait for: loads the code of the validator, compiles the type's
 * rules and its profile by validating an empty record, and loads the table of units. One type at a time, so that
 * requests run in between; a server without creates loads nothing.
 */
export async function warmValidator(
  validator: () => Promise<Validator>,
  types: Iterable<Pick<ResourceType, 'name' | 'profile' | 'interactions'>>,
): Promise<void> {
  let warmed = false;
  for (const { name, profile, interactions } of types) {
    if (!interactions.has('create')) continue;
    warmed = true;
    const made = await validator();
    await setImmediate();
    made.validate({ resourceType: name }, { type: name, profiles: profile === undefined ? [] : [profile] });
  }
  if (!warmed) return;
  await setImmediate();
  isUcumCode('m');
}
