import type { JobAnswer, Job } from './job.ts';

/**
 * The questions that the evaluation of one record delegates to fhirpath.js, with their answers. The evaluator sends all
 * open questions at once, and evaluates again.
 */
export class Questions {
  readonly #answers = new Map<string, JobAnswer>();
  readonly #open = new Map<string, Job>();
  readonly #names = new WeakMap<object, number>();
  #count = 0;

  /** The answer to a job, undefined if it is not known yet. */
  ask(job: Job): JobAnswer | undefined {
    const { expression, focus, resource, rootResource, resolve } = job;
    const values = [focus.value, focus.sibling, resource, rootResource].map(value => this.#name(value));
    const key = [resolve, focus.code, focus.type, ...values, expression].join('\n');
    const answer = this.#answers.get(key);
    if (answer === undefined) this.#open.set(key, job);
    return answer;
  }

  /** Jobs without answers, in the order in which they were asked. */
  get open(): readonly Job[] {
    return [...this.#open.values()];
  }

  /** Stores the answers to all open jobs. */
  settle(answers: readonly JobAnswer[]): void {
    for (const [index, key] of [...this.#open.keys()].entries()) {
      this.#answers.set(key, answers[index] ?? { kind: 'failed', message: 'there was no answer' });
    }
    this.#open.clear();
  }

  /** Objects are identified by identity, other values by value. */
  #name(value: unknown): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
    let name = this.#names.get(value);
    if (name === undefined) this.#names.set(value, (name = ++this.#count));
    return `#${name}`;
  }
}
