import { describe } from 'vitest';
import { indexUsageContract } from './contract-index-usage.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  indexUsageContract(newPlace);
});
