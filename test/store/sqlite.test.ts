import { describe } from 'vitest';
import { contract } from './contract.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  contract({ newPlace });
});
