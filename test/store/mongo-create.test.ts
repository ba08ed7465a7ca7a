import { describe } from 'vitest';
import { createContract } from './contract-create.ts';
import { killContract } from './contract-kill.ts';
import { mongoWhere } from './mongo/support/where.ts';

const where = await mongoWhere();
const asSharded = await mongoWhere({ sharded: true });

describe('MongoDB', () => {
  createContract(where);
  killContract(where.newPlace, Number(process.env['CRS_TEST_ROUNDS'] ?? 10));
});

describe('MongoDB, asked as a sharded cluster is', () => {
  createContract(asSharded);
});
