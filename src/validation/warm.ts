import { setImmediate } from 'node:timers/promises';
import type { ResourceType } from '../model/model.ts';
import type { Validator } from './profile/validator.ts';

/**
 * Does the work that the first create of each type would wait for: loads the code of the validator, and compiles the
 * type's rules and its profile by validating an empty record. One type at a time, so that requests run in between; a
 * server without creates loads nothing. The table of UCUM units is loaded with the first unit that is checked: it takes
 * 3 MB.
 */
export async function warmValidator(
  validator: () => Promise<Validator>,
  types: Iterable<Pick<ResourceType, 'name' | 'profile' | 'interactions'>>,
): Promise<void> {
  for (const { name, profile, interactions } of types) {
    if (!interactions.has('create')) continue;
    const made = await validator();
    await setImmediate();
    made.validate({ resourceType: name }, { type: name, profiles: profile === undefined ? [] : [profile] });
  }
}
