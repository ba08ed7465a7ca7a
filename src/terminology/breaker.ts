/** A circuit breaker for a server that is down. */
export interface Breaker {
  /** False while the circuit is open. */
  allows(): boolean;
  failed(): void;
  succeeded(): void;
}

/**
 * Opens for 10 seconds after three failures in a row; then one request is tried, and each further failure doubles the
 * pause, up to 5 minutes. `now` returns milliseconds.
 */
export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let until = 0;
  return {
    allows() {
      if (failures < patience) return true;
      if (now() < until) return false;
      until = now() + shortest; // one request is tried, the others wait for its result
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
