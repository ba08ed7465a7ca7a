import type { Config } from '../config/read.ts';
import type { Log } from '../observability/log.ts';
import type { Meters } from '../observability/meters.ts';
import type { Traces } from '../observability/traces.ts';

/** What the steps of a start have in common. */
export interface Start {
  readonly config: Config;
  /** The base of absolute URLs. */
  readonly url: string;
  /** In a demonstration an issuer on this machine may use plain http. */
  readonly demo: boolean;
  readonly log: Log;
  /** Writes a line for the operator. */
  readonly notice: (text: string) => void;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** True once the server shuts down. */
  readonly closing: () => boolean;
  /** Undefined: nothing is measured. */
  readonly meters: Meters | undefined;
  /** Undefined: nothing is traced. */
  readonly traces: Traces | undefined;
  /** Registers an opened part, to be closed before those that were opened earlier. */
  readonly opened: (close: () => Promise<void> | void) => void;
}

/** The parts that a start has opened. */
export interface OpenedParts {
  add(close: () => Promise<void> | void): void;
  /** Closes them, the last one first. */
  close(): Promise<void>;
}

export function createOpenedParts(): OpenedParts {
  const parts: (() => Promise<void> | void)[] = [];
  return {
    add: close => void parts.push(close),
    async close() {
      for (let close = parts.pop(); close !== undefined; close = parts.pop()) await close();
    },
  };
}
