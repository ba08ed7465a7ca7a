import { describe } from 'vitest';
import { attachmentContract } from './contract-attachments.ts';
import { createContract } from './contract-create.ts';
import { killContract } from './contract-kill.ts';
import { keptChunks } from './mongo/support/kept-chunks.ts';
import { cluster, describeOnCluster } from '../support/mongodb/cluster.ts';
import { openAlternating } from './mongo/support/alternating.ts';
import { mongoWhere } from './mongo/support/where.ts';

const where = await mongoWhere();
const onShards = await mongoWhere(cluster);
const inTurns = await mongoWhere(undefined, openAlternating);

describe('MongoDB', () => {
  createContract(where);
  killContract(() => where.newPlace(), Number(process.env['CRS_TEST_ROUNDS'] ?? 4));
});
describeOnCluster('MongoDB', () => {
  createContract(onShards);
});
describe('MongoDB, by two processes in turns', () => {
  createContract(inTurns);
  attachmentContract(inTurns, keptChunks);
});

// Each of its steps has a database of its own, and waits for weeks of sweeps; short: two processes in turns.
const isLong = process.env['CRS_TEST_LONG'] !== undefined;
describe.skipIf(!isLong)('MongoDB (long form: CRS_TEST_LONG)', () => {
  attachmentContract(where, keptChunks);
});
describe.skipIf(!isLong)('MongoDB (long form: CRS_TEST_LONG)', () => {
  describeOnCluster('attachments', () => attachmentContract(onShards, keptChunks));
});
