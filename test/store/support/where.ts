import type { TestAPI } from 'vitest';
import type { openStore } from '../../../src/store/open.ts';
import type { Lack } from '../../../src/store/port/errors.ts';
import type { Place } from './fixture.ts';

/** What happens to the bytes of attachments without the store, by its URL. */
export interface KeptBytes {
  /** They were put, and moved to the trash, so many milliseconds earlier. */
  age(url: string, milliseconds: number): Promise<void>;
  /** They are in the trash, since now. */
  trash(url: string, digest: string): Promise<void>;
  /** Some of these bytes change; their number stays. */
  rot(url: string, digest: string): Promise<void>;
}

/** Where a contract runs. */
export interface Where {
  newPlace(): Promise<Place>;
  /** Promises that the stores there lack: each case that needs one says so, and is left out by name. */
  readonly lacks?: readonly Lack['promise'][];
  /** How a store is opened, where that is not `openStore`. */
  readonly open?: typeof openStore;
}

/** Declares cases that need a promise by `declare`. */
export function whereKept(
  declare: TestAPI,
  { lacks = [] }: Where,
  promise: Lack['promise'],
): (title: string, run: () => Promise<void>) => void {
  const isLacking = lacks.includes(promise);
  const why = isLacking ? ` (left out: the store lacks \`${promise}\` here)` : '';
  return (title, run) => declare.skipIf(isLacking)(title + why, run);
}
