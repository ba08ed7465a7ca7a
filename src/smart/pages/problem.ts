import type { Texts } from './texts/en.ts';

/** The kind of problem, by the key of its text. */
export type ProblemName = keyof Texts['problems'];

/** An error that ends in a page: what went wrong and what to do. */
export class Problem extends Error {
  readonly status: number;
  readonly problem: ProblemName;
  /** Its response headers, such as Allow. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, problem: ProblemName, headers: Readonly<Record<string, string>> = {}) {
    super(problem);
    this.name = 'Problem';
    this.status = status;
    this.problem = problem;
    this.headers = headers;
  }
}
