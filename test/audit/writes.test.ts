import { describe } from 'vitest';
import { newPlace } from '../store/support/fixture.ts';
import { writesContract } from './contract-writes.ts';

describe('SQLite', () => {
  writesContract(newPlace);
});
