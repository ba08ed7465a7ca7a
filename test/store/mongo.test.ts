import { describe } from 'vitest';
import { contract } from './contract.ts';
import { openAlternating } from './mongo/support/alternating.ts';
import { mongoWhere, openAsSharded } from './mongo/support/where.ts';

const where = await mongoWhere();
const asSharded = await mongoWhere(openAsSharded);
const inTurns = await mongoWhere(openAlternating);

describe('MongoDB', () => {
  contract(where);
});

describe('MongoDB, asked as a sharded cluster is', () => {
  contract(asSharded);
});

describe('MongoDB, by two processes in turns', () => {
  contract(inTurns);
});
