import { describe } from 'vitest';
import { publicUrlContract } from './contract-public-url.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  publicUrlContract(newPlace);
});
