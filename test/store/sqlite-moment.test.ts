import { describe } from 'vitest';
import { momentContract } from './contract-moment.ts';
import { newPlace } from './support/fixture.ts';

describe('a moment of SQLite', () => {
  momentContract(newPlace);
});
