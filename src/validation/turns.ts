/**
 * Runs work that may take long so that others wait for at most one of its kind: after much work within one turn of the
 * event loop, it waits for the next turn. Many costly requests then delay a short one no longer than one does.
 */
export async function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
  while (isLong()) await nextTurn();
  const begun = performance.now();
  try {
    return work();
  } finally {
    worked += performance.now() - begun;
    if (isLong()) void nextTurn();
  }
}

/** Milliseconds of work after which others get their turn. */
const enough = 20;
let worked = 0;
const isLong = (): boolean => worked > enough;
let next: Promise<void> | undefined;

const nextTurn = (): Promise<void> =>
  (next ??= new Promise(resolve => {
    setImmediate(() => {
      worked = 0;
      next = undefined;
      resolve();
    });
  }));
