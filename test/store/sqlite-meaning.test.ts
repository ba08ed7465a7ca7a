import { describe } from 'vitest';
import { meaningContract } from './contract-meaning.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  meaningContract(newPlace);
});
