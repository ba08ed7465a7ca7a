/** What is read again while the server runs: whoever has a file registers here, and one place asks for all of it. */
export interface Reloads {
  /** Registers how something is read again. `reload` logs how that went, and never rejects. */
  add(reload: () => Promise<void> | void): void;
  /**
   * Reads everything again, in the order of registration; one request after the other. During the start it waits for the end of that,
   * and once the server shuts down nothing is read. Never rejects.
   */
  reload(): Promise<void>;
  /** The start is over: everything is registered. */
  started(): void;
  /** The server shuts down. */
  ended(): void;
}

/** `notice` logs a line where there is nothing to read again. */
export function createReloads(notice: (text: string) => void): Reloads {
  const registered: (() => Promise<void> | void)[] = [];
  const start = Promise.withResolvers<void>();
  let ended = false;
  let work: Promise<void> = start.promise;
  let waiting = false;
  const reloadAll = async (): Promise<void> => {
    waiting = false;
    if (ended) return;
    if (registered.length === 0) notice(nothing);
    for (const reload of registered) await reload();
  };
  return {
    add: reload => void registered.push(reload),
    reload() {
      if (!waiting) work = work.then(reloadAll); // another one that has not begun reads the same
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

const nothing = 'SIGHUP: there is nothing to read again; neither `tls-cert` nor `accounts` is set.';
