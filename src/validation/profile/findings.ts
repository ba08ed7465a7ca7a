import type { Issue, IssueCode, IssueSeverity } from '../../fhir/outcome.ts';
import { expressionOf } from '../report.ts';

/** An issue with the profile and the rule that asked. */
export interface ValidationIssue extends Issue {
  /** Canonical of the StructureDefinition; undefined for what R4 asks of every resource. */
  readonly profile?: string;
  /** The key of an invariant (`obs-6`), or the id of the element and what it asks: `Observation.code min`. */
  readonly rule?: string;
}

/** What a check has to say. */
export interface Finding {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  /** A sentence; a function where it costs something to make, and is made only for what is kept. */
  readonly text: string | (() => string);
  readonly profile?: string;
  readonly rule: string;
}

/** Collects what is wrong at the place where the walk is; the same rule at the same place is told once. */
export class Findings {
  /** Where the walk is: element names and indexes, the type first. */
  readonly path: (string | number)[];
  readonly issues: ValidationIssue[] = [];
  /** How many were not kept, by the limit. */
  left = 0;
  readonly #limit: number;
  readonly #told = new Set<string>();

  constructor(limit: number, path: (string | number)[] = []) {
    this.#limit = limit;
    this.path = path;
  }

  add(finding: Finding): void {
    const expression = expressionOf(this.path);
    this.#put(`${expression}\n${finding.rule}`, finding, expression);
  }

  /** Tells something that concerns a definition rather than a place, once for the whole resource. */
  note(finding: Finding): void {
    if (this.#told.has(finding.rule)) return;
    this.#put(finding.rule, finding, expressionOf(this.path));
  }

  #put(key: string, finding: Finding, expression: string): void {
    if (this.#told.has(key)) return;
    if (this.issues.length >= this.#limit) {
      this.left++;
      if (finding.severity !== 'error') return;
      // An error takes the place of something lighter, so that a flood of notes hides none.
      const lighter = this.issues.findLastIndex(({ severity }) => severity !== 'error');
      if (lighter === -1) return;
      this.issues.splice(lighter, 1);
    }
    this.#told.add(key);
    const { text } = finding;
    this.issues.push({ ...finding, text: typeof text === 'string' ? text : text(), expression });
  }

  get failed(): boolean {
    return this.issues.some(({ severity }) => severity === 'error');
  }
}
