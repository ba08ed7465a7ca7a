import { setImmediate } from 'node:timers/promises';
import type { ResourceType } from '../model/model.ts';
import type { Validator } from './profile/validator.ts';

/**
 * Does what the first create of each type would wait for: loads the code of the validator, and compiles the type's rules and
 * its profile by holding a record with nothing in it against them. One type at a time, so that requests come between; where
 * nothing is created, nothing is loaded. The table of units is loaded with the first unit of UCUM that is checked, since it
 * keeps 3 MB that many servers never need.
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
