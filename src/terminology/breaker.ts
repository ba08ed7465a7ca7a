/** Keeps a server that is down from being asked again and again. */
export interface Breaker {
  /** False while it is not to be asked. */
  allows(): boolean;
  failed(): void;
  succeeded(): void;
}

/**
 * After three failures in a row nobody asks for 10 seconds; then the next one may try, and each failure of it doubles the
 * pause, up to 5 minutes. `now` gives milliseconds.
 */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let until = 0;
  return {
    allows() {
      if (failures < patience) return true;
      if (now() < until) return false;
      until = now() + shortest; // one tries, the others wait for what it finds
      return true;
    },
    failed() {
      failures++;
      if (failures >= patience) until = now() + Math.min(shortest * 2 ** (failures - patience), longest);
    },
    succeeded() {
      failures = 0;
    },
  };
}

const patience = 3;
const shortest = 10_000;
const longest = 300_000;
