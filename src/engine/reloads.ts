/** The files that are reloaded while the server runs: each module registers its own, and SIGHUP reloads all. */
export interface Reloads {
  /** Registers a reload function, which logs its result and never rejects. */
  add(reload: () => Promise<void> | void): void;
  /**
   * Reloads everything in the order of registration; requests run one after the other. During the start it waits for
   * its end, and after the shutdown has begun nothing is reloaded. Never rejects.
   */
  reload(): Promise<void>;
  /** The start has ended: everything is registered. */
  started(): void;
  /** The server shuts down. */
  ended(): void;
}

export function createReloads(): Reloads {
  const registered: (() => Promise<void> | void)[] = [];
  const start = Promise.withResolvers<void>();
  let ended = false;
  let work: Promise<void> = start.promise;
  let waiting = false;
  const reloadAll = async (): Promise<void> => {
    waiting = false;
    if (ended) return;
    for (const reload of registered) await reload();
  };
  return {
    add: reload => void registered.push(reload),
    reload() {
      if (!waiting) work = work.then(reloadAll); // a waiting one reloads the same
      waiting = true;
      return work;
    },
    started: () => start.resolve(),
    ended() {
      ended = true;
      start.resolve();
    },
  };
}
