import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteResources } from '../../src/bulk/delete.ts';
import { type Target, openTarget } from './support/target.ts';

// https://hl7.org/fhir/R4/http.html#delete

let target: Target;
beforeAll(async () => {
  target = await openTarget();
  await target.load([
    target.file('a.ndjson', ['a', 'b', 'c'].map(id => `{"resourceType":"Patient","id":"${id}"}`).join('\n')),
  ]);
});
afterAll(() => target.close());

it('leaves tombstones, and says what was not there', async () => {
  expect(await deleteResources(target.partition, target.model, ['Patient/a', 'Patient/x', 'Patient/a'])).toEqual([
    { key: 'Patient/a', outcome: 'removed' },
    { key: 'Patient/x', outcome: 'absent' },
  ]);
  expect(await target.partition.read('Patient', 'a')).toMatchObject({ version: 2, text: undefined });
  expect(await deleteResources(target.partition, target.model, ['Patient/a'])).toEqual([
    { key: 'Patient/a', outcome: 'absent' },
  ]);
});

it.each([
  ['Patient', 'is not `Type/id`'],
  ['Patient/b/_history/1', 'is not `Type/id`'],
  ['Patient/b c', 'is not `Type/id`'],
  ['Pateint/b', 'Did you mean `Patient`?'],
])('deletes nothing when a key is wrong: %s', async (key, message) => {
  await expect(deleteResources(target.partition, target.model, ['Patient/b', key])).rejects.toThrow(message);
  expect(await target.text('Patient', 'b')).toBeDefined();
});
