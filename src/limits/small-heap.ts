import { setFlagsFromString } from 'node:v8';

/**
 * Limits the garbage that V8 lets the heaps of this process collect, for commands that read many records: the young
 * generation of this thread keeps its current size (it grows to 64 MB otherwise), that of later threads begins with
 * their largest, and the old generation grows by half of its live objects (by several times as much otherwise).
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--min-semi-space-size=4');
  setFlagsFromString('--heap-growing-percent=50');
}

/** The number of works under way that let the old generation grow slowly. */
let slow = 0;

/**
 * Lets the old generation grow by a seventh of its live objects until the result is called: for a work that makes much
 * garbage beside many live objects.
 */
export function growHeapSlowly(): () => void {
  if (slow++ === 0) setFlagsFromString('--heap-growing-percent=15');
  return () => {
    if (--slow === 0) setFlagsFromString('--heap-growing-percent=0');
  };
}
