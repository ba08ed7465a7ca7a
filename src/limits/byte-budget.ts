/** Bytes that work may hold in memory at the same time; further work waits in its order. */
export interface ByteBudget {
  /**
   * Waits until so many bytes are free, and takes them; the result releases them, and may be called again. More bytes
   * than the whole budget take all of it.
   */
  take(bytes: number): Promise<() => void>;
}

/** A budget of this process. */
export function createByteBudget(most: number): ByteBudget {
  let free = most;
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  const startNext = (): void => {
    for (;;) {
      const [next] = waiting;
      if (next === undefined || next.bytes > free) return;
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  };
  return {
    take: given =>
      new Promise(resolve => {
        const bytes = Math.min(given, most);
        let isHeld = true;
        const release = (): void => {
          if (!isHeld) return;
          isHeld = false;
          free += bytes;
          startNext();
        };
        waiting.push({ bytes, start: () => resolve(release) });
        startNext();
      }),
  };
}
