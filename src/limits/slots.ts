/** Slots for work that takes much memory or a processor: so many run at the same time, others wait. */
export interface Slots {
  /**
   * Waits for a slot and takes it; the result releases it, and may be called again. Those who wait with one key are
   * served in their order, and keys in turns, so that many who wait with one key do not keep another out.
   */
  take(key?: string): Promise<() => void>;
}

/** Slots of this process. */
export function createSlots(most: number): Slots {
  let taken = 0;
  const waiting = new Map<string, (() => void)[]>(); // no list is empty; the first key is the next one
  const next = (): (() => void) | undefined => {
    const [first] = waiting;
    if (first === undefined) return undefined;
    const [key, [one, ...others]] = first;
    waiting.delete(key);
    if (others.length > 0) waiting.set(key, others);
    return one;
  };
  const release = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const start = next(); // which gets this slot
      if (start === undefined) taken -= 1;
      else start();
    };
  };
  return {
    take(key = '') {
      if (taken >= most) {
        return new Promise(resolve => {
          const start = (): void => resolve(release());
          const same = waiting.get(key);
          if (same === undefined) waiting.set(key, [start]);
          else same.push(start);
        });
      }
      taken += 1;
      return Promise.resolve(release());
    },
  };
}
