import type { CheckId } from '../clauses.ts';
import { clauses } from '../clauses.ts';
import type { Finding } from '../findings.ts';
import type { Tested } from '../run.ts';

/** What every form of a report shows. */
export interface Report extends Tested {
  readonly base: string;
  /** When the run began, in milliseconds since 1970 UTC, and how long it took. */
  readonly started: number;
  readonly milliseconds: number;
  readonly requests: number;
  /** Whether requests had a token, for the curl commands. */
  readonly hasToken: boolean;
}

/** The findings of one check. */
export interface Summary {
  readonly check: CheckId;
  readonly findings: readonly Finding[];
  readonly pass: number;
  readonly fail: number;
  readonly open: number;
}

/** The checks that were made, in their order. */
export function summariesOf({ findings }: Pick<Report, 'findings'>): readonly Summary[] {
  const byCheck = new Map<CheckId, Finding[]>();
  for (const finding of findings.all) {
    const known = byCheck.get(finding.check);
    if (known === undefined) byCheck.set(finding.check, [finding]);
    else known.push(finding);
  }
  return (Object.keys(clauses) as CheckId[]).flatMap(check => {
    const found = byCheck.get(check);
    if (found === undefined) return [];
    const count = (result: Finding['result']): number => found.filter(one => one.result === result).length;
    return [{ check, findings: found, pass: count('pass'), fail: count('fail'), open: count('open') }];
  });
}

/** The failures, in the order of the checks. */
export const failuresOf = (report: Pick<Report, 'findings'>): readonly Finding[] =>
  summariesOf(report).flatMap(({ findings }) => findings.filter(({ result }) => result === 'fail'));
