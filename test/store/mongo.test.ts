import { describe } from 'vitest';
import { contract } from './contract.ts';
import { mongoWhere } from './mongo/support/where.ts';

const where = await mongoWhere();
const asSharded = await mongoWhere({ sharded: true });

describe('MongoDB', () => {
  contract(where);
});

describe('MongoDB, asked as a sharded cluster is', () => {
  contract(asSharded);
});
