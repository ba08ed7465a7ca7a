import { expect, it } from 'vitest';
import { counted } from '../../src/observability/counted.ts';

it.each([
  [0, 'record', undefined, '0 records'],
  [1, 'record', undefined, '1 record'],
  [1234, 'record', undefined, '1,234 records'],
  [1, 'index', 'indexes', '1 index'],
  [2, 'index', 'indexes', '2 indexes'],
])('%s %s', (value, one, many, text) => {
  expect(counted(value, one, many)).toBe(text);
});
