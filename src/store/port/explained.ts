/** How a store answers a search or a count, without values: statements have placeholders. */
export interface ExplainedAnswer {
  /** The clauses of its plan (plan/clause.ts), all of which must match. */
  readonly clauses: readonly ExplainedClause[];
  /** The order of the page; empty for a count. */
  readonly order: readonly ExplainedKey[];
  readonly statements: readonly ExplainedStatement[];
  /**
   * Other partitions have entries in the same indexes of a database that plans for itself: its plan, and what it
   * examines, may depend on them.
   */
  readonly sharesIndexes: boolean;
}

export interface ExplainedClause {
  /** The text of `printClause` (plan/clause.ts). */
  readonly clause: string;
  /** The index that finds its matches; undefined for a clause that no index serves, such as a complement. */
  readonly index: string | undefined;
  /** `range`: a range of the index is read. `check`: it is checked on each candidate that another clause finds. */
  readonly use: 'range' | 'check';
}

export interface ExplainedKey {
  readonly key: string;
  /** The index that has the order; undefined if the candidates are sorted. */
  readonly index: string | undefined;
}

export interface ExplainedStatement {
  /** SQL, or a command of MongoDB as JSON. */
  readonly text: string;
  /** The plan of the database for it, step by step. */
  readonly plan: readonly string[];
  /** Candidates, index entries or documents that were read. */
  readonly examined: number;
  readonly returned: number;
}

/** Receives how a store answers; the answer is the same. A sort without an index is several answers. */
export type Explain = (answer: ExplainedAnswer) => void;
