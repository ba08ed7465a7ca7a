/**
 * Runs work that may take long without letting others wait for more than one of its kind: where much was done since the event
 * loop came around, it waits until that did. Many costly requests at once then hold up a short one no longer than one does.
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

/** Milliseconds after which others have their turn. */
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
