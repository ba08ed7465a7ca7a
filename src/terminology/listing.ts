import { TooCostly } from '../fhirpath/evaluate/errors.ts';
import { Turns } from '../limits/turns.ts';
import { PATTERNS_TOO_COSTLY } from './expansion.ts';
import { withReads } from './reads.ts';
import { NotExpanded } from './members.ts';
import type { SetMember, NotExpandedKind } from './members.ts';
import type { Listing } from './value-set.ts';

/** All codes of a value set, or why they cannot be listed: a sentence without its point. */
export type Listed =
  | { readonly members: readonly SetMember[]; readonly problem?: undefined; readonly kind?: undefined }
  | { readonly members?: undefined; readonly problem: string; readonly kind: NotExpandedKind };

/** A listing of at most so many codes. */
export const emptyListing = (most: number, used?: Listing['used']): Listing => ({
  within: [],
  done: new Map(),
  most,
  ...(used === undefined ? {} : { used }),
});

/** Lists at once. */
export function drain(list: Generator<undefined, readonly SetMember[]>): Listed {
  try {
    for (;;) {
      const { done, value } = list.next();
      if (done === true) return { members: value };
    }
  } catch (error) {
    return problemOf(error);
  }
}

/** Lists in turns with other requests, again from the beginning when something had to be read first. */
export async function drainInTurns(begin: () => Generator<undefined, readonly SetMember[]>): Promise<Listed> {
  const turns = new Turns();
  try {
    return await withReads(async () => {
      for (const list = begin(); ;) {
        const { done, value } = list.next();
        if (done === true) return { members: value };
        await turns.next();
      }
    });
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): Listed {
  if (error instanceof NotExpanded) return { problem: error.message, kind: error.kind };
  if (error instanceof TooCostly) return { problem: PATTERNS_TOO_COSTLY, kind: 'large' };
  throw error;
}
