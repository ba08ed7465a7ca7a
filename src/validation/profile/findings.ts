import type { Issue, IssueCode, IssueSeverity } from '../../fhir/outcome.ts';
import { expressionOf } from '../report.ts';

/** An issue, with the profile and the rule if it is not a structural one. */
export type ValidationIssue = Issue;

/** A finding of a check. */
export interface Finding {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  /** A sentence; a function if it is costly to make, which is called only for findings that are reported. */
  readonly text: string | (() => string);
  readonly profile?: string;
  readonly rule: string;
}

/** The severity of a finding, if not that of its rule; undefined if it is not reported. */
export type Weigh = (finding: Finding, place: FindingPlace) => IssueSeverity | undefined;

export interface FindingPlace {
  /** FHIRPath: `Patient.name[0].given[1]`. */
  readonly expression: string;
  /** True for a rule of a profile that is marked `incomplete`, or of one that such a profile names. */
  readonly incomplete: boolean;
}

/** Thrown when the list of errors is full, so that the rest of the value is not checked. */
export class Full extends Error {}

/**
 * Collects findings at the current position of the walk; the same rule at the same position is reported once. Throws
 * `Full` at the first error beyond the limit of errors, since no further finding could be listed.
 */
export class Findings {
  /** The current position: element names and indexes, the type first. */
  readonly path: (string | number)[];
  readonly issues: ValidationIssue[] = [];
  /** The number of findings beyond the limit. */
  left = 0;
  /** Positions where a profile requires a code, and has one, so that a weaker binding of R4 is not reported. */
  readonly settled = new Set<string>();
  /** How many profiles that are marked `incomplete` are being checked. */
  incomplete = 0;
  /** How many profiles are being checked as advice, so that their violations are warnings. */
  advice = 0;
  readonly #limit: number;
  readonly #weigh: Weigh | undefined;
  readonly #reported = new Map<string, ValidationIssue>();

  constructor(limit: number, path: (string | number)[] = [], weigh?: Weigh) {
    this.#limit = limit;
    this.path = path;
    this.#weigh = weigh;
  }

  /** At the current position. */
  settle(): void {
    this.settled.add(expressionOf(this.path));
  }

  add(finding: Finding): void {
    const expression = expressionOf(this.path);
    this.#put(`${expression}\n${finding.rule}`, finding, expression);
  }

  /** Reports a finding about a definition, once for the whole resource. */
  note(finding: Finding): void {
    if (finding.severity !== 'error' && this.#reported.has(finding.rule)) return;
    this.#put(finding.rule, finding, expressionOf(this.path));
  }

  #put(key: string, given: Finding, expression: string): void {
    const finding = this.advice > 0 && given.severity === 'error' ? { ...given, severity: 'warning' as const } : given;
    const there = this.#reported.get(key);
    if (there?.severity === 'error') return;
    const severity =
      this.#weigh === undefined
        ? finding.severity
        : this.#weigh(finding, { expression, incomplete: this.incomplete > 0 });
    if (severity === undefined) return;
    // Another profile may have the same rule with a higher severity.
    if (this.#reported.has(key) && severity !== 'error') return;
    const at = there === undefined ? -1 : this.issues.indexOf(there);
    if (at >= 0) this.issues.splice(at, 1);
    else if (this.issues.length >= this.#limit) {
      this.left++;
      if (severity !== 'error' && finding.code !== 'too-costly') return;
      // An error, and the end of the budget, replace a finding of lower severity, so that many notes hide none.
      const lighter = this.issues.findLastIndex(({ severity }) => severity !== 'error');
      if (lighter === -1) throw new Full();
      this.issues.splice(lighter, 1);
    }
    const { text } = finding;
    const issue = { ...finding, severity, text: typeof text === 'string' ? text : text(), expression };
    this.#reported.set(key, issue);
    this.issues.push(issue);
  }

  get failed(): boolean {
    return this.issues.some(({ severity }) => severity === 'error');
  }
}
