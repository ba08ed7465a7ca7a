import { describe } from 'vitest';
import { lengthContract } from './contract-length.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  lengthContract(newPlace);
});
