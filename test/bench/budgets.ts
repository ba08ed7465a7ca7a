/** A promise about one measured figure. */
export interface Budget {
  readonly name: string;
  readonly is: 'at least' | 'at most';
  readonly value: number;
  /** Behind the figure in the table: `records/s`, `ms`; empty for a ratio. */
  readonly unit: string;
}

/** Measured figures by the name of their budget. */
export type Figures = Readonly<Record<string, number>>;

export interface Verdict extends Budget {
  readonly measured: number;
  /** `near`: missed, but by no more than the tolerance. */
  readonly verdict: 'met' | 'near' | 'missed';
}

/** How far a figure may be off before `--check` fails: machines that are shared wobble. */
export const tolerance = 0.15;

/** Compares what was measured with its budgets; those that were not measured are left out. */
export function judge(budgets: readonly Budget[], figures: Figures): readonly Verdict[] {
  return budgets.flatMap(budget => {
    const measured = figures[budget.name];
    return measured === undefined ? [] : [{ ...budget, measured, verdict: verdictOf(budget, measured) }];
  });
}

/** False where a budget is missed by more than the tolerance. */
export function holds(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ verdict }) => verdict !== 'missed');
}

function verdictOf({ is, value }: Budget, measured: number): Verdict['verdict'] {
  const share = is === 'at least' ? measured / value : value / measured;
  if (share >= 1) return 'met';
  return share >= 1 - tolerance ? 'near' : 'missed';
}

/** What is promised beside the request cases, which name their own share of the floor. */
export const otherBudgets: readonly Budget[] = [
  { name: 'page 1,000 to page 1', is: 'at most', value: 1.2, unit: '' },
  { name: 'load', is: 'at least', value: 8_000, unit: 'records/s' },
  { name: 'transaction of 60 to load', is: 'at most', value: 1.3, unit: '' },
  { name: 'read p99 while loading', is: 'at most', value: 20, unit: 'ms' },
  { name: 'slowest page', is: 'at most', value: 30, unit: 'ms' },
  { name: 'package', is: 'at most', value: 1_000, unit: 'ms' },
  { name: 'first create, cache to none', is: 'at most', value: 0.5, unit: '' },
  { name: 'start', is: 'at most', value: 2_000, unit: 'ms' },
  { name: 'memory idle', is: 'at most', value: 130, unit: 'MB' },
];
