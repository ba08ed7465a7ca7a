import type { AuditFilter } from './line.ts';

/** Storage of chains of lines, which a store provides and `ChainedLog` uses as an audit log. */
export interface ChainPlace {
  /** Names of all chains, in the order of their creation. */
  chains(): Promise<readonly string[]>;
  /** Begins a chain with a new name. */
  begin(chain: string): Promise<OpenChain>;
  /** The lines of a chain in order; lines that do not match the filter may be omitted. */
  lines(chain: string, filter?: AuditFilter): AsyncIterable<KeptLine>;
  /** The last whole line of a chain; undefined if there is none. */
  last(chain: string): Promise<string | undefined>;
  remove(chain: string): Promise<void>;
}

/** A chain that this process appends to. */
export interface OpenChain {
  /**
   * Appends lines (each without its line break); the first has number `n`. It is durable when it resolves. After an
   * error the chain is not written to again.
   */
  readonly write: (n: number, lines: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface KeptLine {
  readonly text: string;
  /** False for the end of a chain that is torn. */
  readonly whole: boolean;
}

/** The name of a chain that begins at a time: it begins with its day in UTC, and names sort like the times. */
export const chainName = (time: number, unique: string): string =>
  `${new Date(time).toISOString().replaceAll(':', '')}-${unique}`;

export const dayOf = (chain: string): string => chain.slice(0, 10);

/** Whether a name has this form: other files do not belong to the log. */
export const isChainName = (name: string): boolean => /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-[0-9a-f]{8}$/.test(name);
