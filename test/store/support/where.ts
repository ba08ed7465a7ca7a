import { it } from 'vitest';
import type { openStore } from '../../../src/store/open.ts';
import type { Lack } from '../../../src/store/store.ts';
import type { Place } from './fixture.ts';

/** Where a contract runs. */
export interface Where {
  newPlace(): Promise<Place>;
  /** Promises that the stores there lack: each case that needs one says so, and is left out by name. */
  readonly lacks?: readonly Lack['promise'][];
  /** How a store is opened, where that is not `openStore`. */
  readonly open?: typeof openStore;
}

/** `it` for a case that needs a promise. */
export function itWhere(
  { lacks = [] }: Where,
  promise: Lack['promise'],
): (title: string, run: () => Promise<void>) => void {
  if (!lacks.includes(promise)) return (title, run) => it(title, run);
  return (title, run) => it.skip(`${title} (left out: the store lacks \`${promise}\` here)`, run);
}
