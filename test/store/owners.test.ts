// Owners as stores keep them: what `verify` takes for damage.
import { describe, expect, it } from 'vitest';
import type { ResourceType } from '../../src/model/model.ts';
import { ownersDiffer, printOwners } from '../../src/store/keys/owners.ts';
import { thing } from '../search/thing.ts';

const type: ResourceType = { ...thing, accessLinks: [{ compartment: 'Patient', parameter: 'subject' }] };
const made = printOwners(type, []);

describe('stored owners', () => {
  it.each([
    ['none yet', null, false],
    ['those of the record', made, false],
    ['one too many', `${made} Patient/a`, true],
    ['by other definitions, which are not used', 'AAAAAAAA Patient/a', false],
    ['a damaged digest', `${made.slice(0, 2)}\uFFFD${made.slice(3)}`, true],
    ['a digest that is too short', made.slice(1), true],
    ['nothing', '', true],
    ['a number', 5, true],
  ])('%s: %j differs from what the record gives: %j', (_, stored, differs) => {
    expect(ownersDiffer(type, stored, made)).toBe(differs);
  });
});
