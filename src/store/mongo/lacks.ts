import type { Lack } from '../port/errors.ts';

/** What several processes cannot keep, each with its own clock. */
export const commitOrder: Lack = {
  promise: 'commit-order',
  why:
    'Several processes and servers write to a MongoDB store, each by its own clock: a change may ' +
    'become visible after another one with a later `lastUpdated`.',
};
