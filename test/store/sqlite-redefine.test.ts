import { describe } from 'vitest';
import { redefineContract } from './contract-redefine.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  redefineContract(newPlace);
});
