import type { CheckId } from './clauses.ts';
import type { Exchange } from './client.ts';

/** `open`: the standard leaves it open, or the sample does not decide it. */
export type Verdict = 'pass' | 'fail' | 'open';

/** The result of one check on one subject. */
export interface Finding {
  readonly check: CheckId;
  readonly result: Verdict;
  /** Where: `Patient`, `Patient?name=ann`. */
  readonly subject: string;
  /** What came, or why it is open; empty if it passed. */
  readonly came: string;
  /** What should have come; empty unless it failed. */
  readonly expected: string;
  /** The request and its answer, of a failure. */
  readonly exchange: Exchange | undefined;
}

/** Collects the findings of a run; the same failure of a check on a subject is listed once. */
export class Findings {
  readonly all: Finding[] = [];
  private readonly seen = new Set<string>();

  pass(check: CheckId, subject: string): void {
    this.all.push({ check, result: 'pass', subject, came: '', expected: '', exchange: undefined });
  }

  open(check: CheckId, subject: string, came: string): void {
    this.all.push({ check, result: 'open', subject, came, expected: '', exchange: undefined });
  }

  fail(check: CheckId, subject: string, came: string, expected: string, exchange?: Exchange): void {
    const key = JSON.stringify([check, subject, came]);
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.all.push({ check, result: 'fail', subject, came, expected, exchange });
  }

  /** Passes if `right`, else fails; returns `right`. */
  decide(
    right: boolean,
    check: CheckId,
    subject: string,
    came: string,
    expected: string,
    exchange?: Exchange,
  ): boolean {
    if (right) this.pass(check, subject);
    else this.fail(check, subject, came, expected, exchange);
    return right;
  }

  count(result: Verdict): number {
    return this.all.filter(finding => finding.result === result).length;
  }
}
