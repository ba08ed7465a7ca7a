import { describe } from 'vitest';
import { historyContract } from './contract-history.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  historyContract(newPlace);
});
