import type { AuditFilter } from './entry.ts';

/** Where chains of lines are kept: what a store provides, and `ChainedLog` makes an audit log of. */
export interface ChainPlace {
  /** Names of all chains, in the order in which they began. */
  chains(): Promise<readonly string[]>;
  /** Begins a chain of a new name. */
  begin(chain: string): Promise<OpenChain>;
  /** The lines of a chain in order; a place may leave those out that a filter does not let through. */
  lines(chain: string, filter?: AuditFilter): AsyncIterable<KeptLine>;
  /** The last whole line of a chain; undefined where there is none. */
  last(chain: string): Promise<string | undefined>;
  remove(chain: string): Promise<void>;
}

/** A chain that this process writes. */
export interface OpenChain {
  /**
   * Adds lines (each without its end), of which the first has number `n`; durable when it resolves. Where it throws, the
   * chain is not written to again.
   */
  write(n: number, lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface KeptLine {
  readonly text: string;
  /** False for the end of a chain that was not written whole. */
  readonly whole: boolean;
}

/** The name of a chain that begins at a time: it begins with its day in UTC, and names order like the times. */
export const chainName = (time: number, unique: string): string =>
  `${new Date(time).toISOString().replaceAll(':', '')}-${unique}`;

export const dayOf = (chain: string): string => chain.slice(0, 10);

/** A name as above: what else lies in the place is nobody's. */
export const isChainName = (name: string): boolean => /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-[0-9a-f]{8}$/.test(name);
