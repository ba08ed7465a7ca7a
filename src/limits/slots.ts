/** Slots for work that takes much memory or a processor: so many run at the same time, others wait in their order. */
export interface Slots {
  /** Waits for a slot and takes it; the result releases it, and may be called again. */
  take(): Promise<() => void>;
}

/** Slots of this process. */
export function createSlots(most: number): Slots {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const release = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = waiting.shift(); // which gets this slot
      if (next === undefined) taken -= 1;
      else next();
    };
  };
  return {
    take() {
      if (taken >= most) return new Promise(resolve => waiting.push(() => resolve(release())));
      taken += 1;
      return Promise.resolve(release());
    },
  };
}
