import type { Position, Sort } from './ast.ts';
import { comparePositions } from './sort.ts';

/** A page that is filled with matches in any order. */
export interface SortedPage<T> {
  add(position: Position, match: T): void;
  /** The matches of the page in order, and the position of the last one if there are more. */
  read(): { readonly matches: readonly T[]; readonly next: Position | undefined };
}

/** The first `limit` matches after a position; it remembers few more than it returns. */
export function createSortedPage<T>(
  sort: readonly Sort[],
  { limit, after }: { readonly limit: number; readonly after?: Position | undefined },
): SortedPage<T> {
  let held: { readonly position: Position; readonly match: T }[] = [];
  const trim = (): void => {
    held = held.sort((a, b) => comparePositions(sort, a.position, b.position)).slice(0, limit + 1);
  };
  return {
    add(position, match) {
      if (after !== undefined && comparePositions(sort, position, after) <= 0) return;
      held.push({ position, match });
      if (held.length > 2 * (limit + 1) + spare) trim();
    },
    read() {
      trim();
      const page = held.slice(0, limit);
      return {
        matches: page.map(({ match }) => match),
        next: held.length > limit ? page.at(-1)?.position : undefined,
      };
    },
  };
}

/** Matches beyond those that can be on the page, so that they are seldom sorted. */
const spare = 200;
