import { describe } from 'vitest';
import { contract } from './contract.ts';
import { cluster, describeOnCluster } from '../support/mongodb/cluster.ts';
import { openAlternating } from './mongo/support/alternating.ts';
import { mongoWhere } from './mongo/support/where.ts';

const where = await mongoWhere();
const onShards = await mongoWhere(cluster);
const inTurns = await mongoWhere(undefined, openAlternating);

describe('MongoDB', () => {
  contract(where);
});

describeOnCluster('MongoDB', () => {
  contract(onShards);
});

describe('MongoDB, by two processes in turns', () => {
  contract(inTurns);
});
