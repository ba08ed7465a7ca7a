import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { migrateContract } from './contract-migrate.ts';

describe('MongoDB', () => {
  migrateContract(newMongoPlace);
});
