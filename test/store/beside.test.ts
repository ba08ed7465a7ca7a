import { expect, it } from 'vitest';
import { createBackgroundReport } from '../../src/store/upkeep/chores.ts';

it('a failure of a retried task is reported once until the task succeeds', () => {
  const reported: unknown[] = [];
  const { worked, failed } = createBackgroundReport(error => reported.push(error));
  failed('first');
  failed('again');
  worked();
  worked();
  failed('later');
  expect(reported).toEqual(['first', 'later']);
});
