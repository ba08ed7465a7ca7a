import type { ExplainedStatement } from '../port/explained.ts';
import { raw, type SqlValue } from './sql.ts';

type Row = readonly SqlValue[];

/** The statements of a search, and the clauses whose ranges it reads: plain data, which a worker can send. */
export interface Traced {
  readonly statements: readonly ExplainedStatement[];
  /** Positions among the clauses of the search. */
  readonly ranges: readonly number[];
  /** Whether an index has the order, so that the candidates are not sorted. */
  readonly inOrder: boolean;
}

/** Evaluated for each candidate of an explained statement. */
export const examinedTick = raw('examined()');

/** Records the statements of a search while it runs. */
export class Trace {
  readonly #planOf: (text: string, values: readonly SqlValue[]) => readonly Row[];
  readonly #statements: ExplainedStatement[] = [];
  readonly #ranges = new Set<number>();
  #inOrder = false;
  #counted = 0;

  constructor(planOf: (text: string, values: readonly SqlValue[]) => readonly Row[]) {
    this.#planOf = planOf;
  }

  /** Counts a candidate. */
  count(): 1 {
    this.#counted += 1;
    return 1;
  }

  run(text: string, values: readonly SqlValue[], read: () => readonly Row[]): readonly Row[] {
    const plan = this.#planOf(text, values).map(row => String(row[3]));
    this.#counted = 0;
    const rows = read();
    const examined = examinedBy(text, values, rows, this.#counted);
    this.#statements.push({ text: shown(text), plan, examined, returned: rows.length });
    return rows;
  }

  /** How the candidates are found: by the ranges of these clauses, in the order of the page or not. */
  route(inOrder: boolean, ranges: Iterable<number>): void {
    this.#inOrder = inOrder;
    for (const at of ranges) this.#ranges.add(at);
  }

  read(): Traced {
    return { statements: this.#statements, ranges: [...this.#ranges], inOrder: this.#inOrder };
  }
}

/** The rows that a probe counts or skips, or that a look-up by key returns. */
function examinedBy(text: string, values: readonly SqlValue[], rows: readonly Row[], counted: number): number {
  if (text.includes('examined()')) return counted;
  if (text.endsWith('OFFSET ?')) return rows.length === 0 ? 0 : Number(values.at(-1)) + 1;
  return text.trimStart().startsWith('SELECT count(') ? Number(rows[0]?.[0]) : rows.length;
}

/** The statement as it runs without an explanation, on one line. */
function shown(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/ AND examined\(\)|examined\(\) AND /g, '')
    .replaceAll('examined()', '1');
}
