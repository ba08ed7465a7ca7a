import type { Lack } from '../port/errors.ts';
import type { Core } from './core.ts';

/** The promises that a deployment cannot keep, with the reasons. */
export function lacksOf({ deployment }: Pick<Core, 'deployment'>): readonly Lack[] {
  return deployment.transactions ? [commitOrder] : [commitOrder, severalAtOnce];
}

/** Why several changes are not atomic without transactions. */
export const severalAtOnce: Lack = {
  promise: 'several-at-once',
  why:
    'Several changes in one step need transactions, which the MongoDB server of this store lacks: it ' +
    'is not a replica set.',
};

const commitOrder: Lack = {
  promise: 'commit-order',
  why:
    'Several processes and servers write to a MongoDB store, each by its own clock: a change may ' +
    'become visible after another one with a later `lastUpdated`.',
};
