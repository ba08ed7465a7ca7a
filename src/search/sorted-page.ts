import type { Position, Sort } from './ast.ts';
import { comparePositions } from './sort.ts';

/** A page that is filled with matches in any order. */
export interface SortedPage<T> {
  add(position: Position, match: T): void;
  /** The matches of the page in order, and the position of the last one if there are more. */
  read(): { readonly matches: readonly T[]; readonly next: Position | undefined };
}

interface PageLimits<T> {
  readonly limit: number;
  readonly after?: Position | undefined;
  /** The number of these matches that fit on the page, at most `limit`. */
  readonly fitting: (matches: readonly T[], limit: number) => number;
}

/** The first matches after a position; it remembers few more than it returns. */
export function createSortedPage<T extends { readonly text?: string | undefined }>(
  sort: readonly Sort[],
  { limit, after, fitting }: PageLimits<T>,
): SortedPage<T> {
  let held: { readonly position: Position; readonly match: T }[] = [];
  let characters = 0;
  /** Sorts, and forgets what is beyond the page but the first match; returns the number of matches on it. */
  const trim = (): number => {
    held.sort((a, b) => comparePositions(sort, a.position, b.position));
    const matches = held.map(({ match }) => match);
    const fit = fitting(matches, limit);
    held = held.slice(0, fit + 1);
    characters = 0;
    return fit;
  };
  return {
    add(position, match) {
      if (after !== undefined && comparePositions(sort, position, after) <= 0) return;
      held.push({ position, match });
      characters += match.text?.length ?? 0;
      if (held.length > 2 * (limit + 1) + spare || characters > spareCharacters) trim();
    },
    read() {
      const fit = trim();
      const page = held.slice(0, fit);
      return {
        matches: page.map(({ match }) => match),
        next: held.length > fit ? page.at(-1)?.position : undefined,
      };
    },
  };
}

/** Matches, and characters of their texts, beyond those that can be on the page, so that they are seldom sorted. */
const spare = 200;
const spareCharacters = 16 * 1024 * 1024;
