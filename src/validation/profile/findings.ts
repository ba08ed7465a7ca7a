import type { Issue, IssueCode, IssueSeverity } from '../../fhir/outcome.ts';
import { expressionOf } from '../report.ts';

/** An issue, with the profile and the rule that asked where it is more than a matter of structure. */
export type ValidationIssue = Issue;

/** What a check has to say. */
export interface Finding {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  /** A sentence; a function where it costs something to make, and is made only for what is kept. */
  readonly text: string | (() => string);
  readonly profile?: string;
  readonly rule: string;
}

/** How much a finding counts, where that is not for the rule alone to say; undefined where it is not told at all. */
export type Weigh = (finding: Finding, place: FindingPlace) => IssueSeverity | undefined;

export interface FindingPlace {
  /** FHIRPath: `Patient.name[0].given[1]`. */
  readonly expression: string;
  /** True where a profile asked that is marked `incomplete`, or one that such a profile names. */
  readonly incomplete: boolean;
}

/** Collects what is wrong at the place where the walk is; the same rule at the same place is told once. */
export class Findings {
  /** Where the walk is: element names and indexes, the type first. */
  readonly path: (string | number)[];
  readonly issues: ValidationIssue[] = [];
  /** How many were not kept, by the limit. */
  left = 0;
  /** Places where a profile requires a code, and has one, so that a looser binding of R4 has nothing more to say. */
  readonly settled = new Set<string>();
  /** How many profiles that are marked `incomplete` are being held against something. */
  incomplete = 0;
  /** How many profiles are being held against something as advice, so that what breaks them is a warning. */
  advice = 0;
  readonly #limit: number;
  readonly #weigh: Weigh | undefined;
  readonly #told = new Map<string, ValidationIssue>();

  constructor(limit: number, path: (string | number)[] = [], weigh?: Weigh) {
    this.#limit = limit;
    this.path = path;
    this.#weigh = weigh;
  }

  /** At the place where the walk is. */
  settle(): void {
    this.settled.add(expressionOf(this.path));
  }

  add(finding: Finding): void {
    const expression = expressionOf(this.path);
    this.#put(`${expression}\n${finding.rule}`, finding, expression);
  }

  /** Tells something that concerns a definition rather than a place, once for the whole resource. */
  note(finding: Finding): void {
    if (finding.severity !== 'error' && this.#told.has(finding.rule)) return;
    this.#put(finding.rule, finding, expressionOf(this.path));
  }

  #put(key: string, given: Finding, expression: string): void {
    const finding = this.advice > 0 && given.severity === 'error' ? { ...given, severity: 'warning' as const } : given;
    const there = this.#told.get(key);
    if (there?.severity === 'error') return;
    const severity =
      this.#weigh === undefined
        ? finding.severity
        : this.#weigh(finding, { expression, incomplete: this.incomplete > 0 });
    if (severity === undefined) return;
    // Another profile may ask the same and mean it more.
    if (this.#told.has(key) && severity !== 'error') return;
    const at = there === undefined ? -1 : this.issues.indexOf(there);
    if (at >= 0) this.issues.splice(at, 1);
    else if (this.issues.length >= this.#limit) {
      this.left++;
      if (severity !== 'error' && finding.code !== 'too-costly') return;
      // An error, and that the checks were cut short, takes the place of something lighter, so that a flood of notes hides none.
      const lighter = this.issues.findLastIndex(({ severity }) => severity !== 'error');
      if (lighter === -1) return;
      this.issues.splice(lighter, 1);
    }
    const { text } = finding;
    const issue = { ...finding, severity, text: typeof text === 'string' ? text : text(), expression };
    this.#told.set(key, issue);
    this.issues.push(issue);
  }

  get failed(): boolean {
    return this.issues.some(({ severity }) => severity === 'error');
  }
}
