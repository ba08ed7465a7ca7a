import { describe } from 'vitest';
import { sortContract } from './contract-sort.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  sortContract(newPlace);
});
