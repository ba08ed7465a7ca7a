import type { Issue, IssueCode } from '../fhir/outcome.ts';

/** Collects findings about a resource at the current position of the walk, up to a limit. */
export class Report {
  /** The current position: element names and indexes, the type first. */
  readonly path: (string | number)[] = [];
  readonly issues: Issue[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True once the limit is reached. */
  get full(): boolean {
    return this.issues.length > this.#limit;
  }

  /** Adds an issue of severity error; the last one reports that there may be more. */
  add(code: IssueCode, text: string): void {
    if (this.full) return;
    if (this.issues.length === this.#limit) {
      const more =
        `The first ${this.#limit} findings are listed; there may be more. Correct them and send the resource ` +
        'again.';
      this.issues.push({ severity: 'information', code: 'incomplete', text: more });
      return;
    }
    this.issues.push({ severity: 'error', code, text, expression: this.expression });
  }

  /** The path as FHIRPath: `Patient.name[0].given[1]`. https://hl7.org/fhirpath/ */
  get expression(): string {
    return expressionOf(this.path);
  }
}

/**
 * At most `most` issues; another one has the number of the rest, or reports an unknown rest if the list had been cut
 * before.
 */
export function limitIssues<T extends Issue>(issues: readonly T[], most: number): readonly (T | Issue)[] {
  const cut = issues.find(({ code }) => code === 'incomplete');
  const reported = issues.filter(({ code }) => code !== 'incomplete');
  if (reported.length <= most) return cut === undefined ? issues : [...reported, cut];
  const count = cut === undefined ? `there are ${reported.length - most} more` : 'there are more';
  const text = `The first ${most} findings are listed; ${count}. Correct them and send the resource again.`;
  return [...reported.slice(0, most), { severity: 'information', code: 'incomplete', text }];
}

/** Element names and indexes as FHIRPath. */
export function expressionOf(path: readonly (string | number)[]): string {
  let expression = '';
  for (const step of path) {
    if (typeof step === 'number') expression += `[${step}]`;
    else expression += (expression === '' ? '' : '.') + (isName(step) ? step : `\`${shorten(step)}\``);
  }
  return expression;
}

/** At most 80 characters of a client's text, for quoting in a sentence. */
export function shorten(text: string): string {
  const part = text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text;
  return part.replaceAll('`', "'");
}

const isName = (step: string): boolean => step.length <= 80 && /^[A-Za-z_][A-Za-z0-9_]*$/.test(step);
