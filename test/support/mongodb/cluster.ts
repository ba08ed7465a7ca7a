import { describe, inject } from 'vitest';
import { mongoServer } from './place.ts';

const { router, simulated } = inject('deployment');

/** The URL of the sharded cluster; where there is none, that of the server, on which no suite of a cluster runs. */
export const cluster = router ?? mongoServer();

/** Suites on the cluster: their title says whether it is simulated, or that they are left out for want of one. */
export const describeOnCluster = (what: string, suite: () => void): void => {
  describe.skipIf(router === null)(`${what}, ${title}`, () => {
    suite();
  });
};

const title =
  router === null
    ? 'on a sharded cluster (left out without one)'
    : `on a ${simulated ? 'simulated ' : ''}sharded cluster`;
