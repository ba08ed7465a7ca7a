import { expect, it } from 'vitest';
import { createBackgroundReport } from '../../src/store/background-report.ts';

it('a failure of what is tried again is told once until it has worked', () => {
  const told: unknown[] = [];
  const { worked, failed } = createBackgroundReport(error => told.push(error));
  failed('first');
  failed('again');
  worked();
  worked();
  failed('later');
  expect(told).toEqual(['first', 'later']);
});
