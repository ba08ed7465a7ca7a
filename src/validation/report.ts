import type { Issue, IssueCode } from '../fhir/outcome.ts';

/** Collects what is wrong with a resource, at the place where the walk is, up to a limit. */
export class Report {
  /** Where the walk is: element names and indexes, the type first. */
  readonly path: (string | number)[] = [];
  readonly issues: Issue[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True when so much is wrong that looking further helps nobody. */
  get full(): boolean {
    return this.issues.length > this.#limit;
  }

  /** Adds an issue of severity error; the last one that fits says that there may be more. */
  add(code: IssueCode, text: string): void {
    if (this.full) return;
    if (this.issues.length === this.#limit) {
      const more = `More is wrong: the first ${this.#limit} problems are listed. Mend them and send the resource again.`;
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
 * At most as many issues as are to be told; one more then says how many were left out, or that some were where a part of them
 * had been cut before.
 */
export function firstOf<T extends Issue>(issues: readonly T[], most: number): readonly (T | Issue)[] {
  const cut = issues.find(({ code }) => code === 'incomplete');
  const told = issues.filter(({ code }) => code !== 'incomplete');
  if (told.length <= most) return cut === undefined ? issues : [...told, cut];
  const count = cut === undefined ? `there are ${told.length - most} more` : 'there are more';
  const text = `The first ${most} findings are listed, and ${count}. Mend them and send the resource again.`;
  return [...told.slice(0, most), { severity: 'information', code: 'incomplete', text }];
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

/** At most 80 characters of what somebody sent, to be quoted in a sentence. */
export function shorten(text: string): string {
  const part = text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text;
  return part.replaceAll('`', "'");
}

const isName = (step: string): boolean => step.length <= 80 && /^[A-Za-z_][A-Za-z0-9_]*$/.test(step);
