import { setImmediate } from 'node:timers/promises';
import type { ResourceType } from '../model/model.ts';
import type { Validator } from './profile/validator.ts';

/**
 * Prepares the first write of each type: loads the code of the validator, and compiles the rules and the profile of
 * the type by validating an empty record. One type at a time, so that requests run in between; does nothing for a
 * server without writes. The table of UCUM units is loaded at its first use: it takes 3 MB.
 */
export async function warmValidator(
  validator: () => Promise<Validator>,
  types: Iterable<Pick<ResourceType, 'name' | 'profile' | 'interactions'>>,
): Promise<void> {
  for (const { name, profile, interactions } of types) {
    if (!interactions.has('create') && !interactions.has('update')) continue;
    const made = await validator();
    await setImmediate();
    made.validate({ resourceType: name }, { type: name, profiles: profile === undefined ? [] : [profile] });
  }
}
