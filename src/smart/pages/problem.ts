import type { Texts } from './texts/texts.ts';

/** What went wrong, by the name of its text. */
export type ProblemName = keyof Texts['problems'];

/** What ends in a page that says what went wrong and what to do. */
export class Problem extends Error {
  readonly status: number;
  readonly problem: ProblemName;
  /** Response headers that belong to it, such as Allow. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, problem: ProblemName, headers: Readonly<Record<string, string>> = {}) {
    super(problem);
    this.name = 'Problem';
    this.status = status;
    this.problem = problem;
    this.headers = headers;
  }
}
