import { describe } from 'vitest';
import { mongoWhere } from '../store/mongo/support/where.ts';
import { writesContract } from './contract-writes.ts';

const where = await mongoWhere();

describe('MongoDB', () => {
  writesContract(() => where.newPlace());
});
