import { describe } from 'vitest';
import { migrateContract } from './contract-migrate.ts';
import { mongoWhere } from './mongo/support/where.ts';

const where = await mongoWhere();

describe('MongoDB', () => {
  migrateContract(() => where.newPlace());
});
