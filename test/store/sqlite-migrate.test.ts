import { describe } from 'vitest';
import { migrateContract } from './contract-migrate.ts';
import { newPlace } from './support/fixture.ts';

describe('SQLite', () => {
  migrateContract(newPlace);
});
