/**
 * The object or array and the property or index of a result, in the value that was sent; undefined for the value
 * itself.
 */
export function placeIn(
  { of, steps }: NonNullable<JobResult['place']>,
  focus: unknown,
  resource: unknown,
): { readonly parent: object; readonly key: string | number } | undefined {
  let parent: unknown = of === 'focus' ? focus : resource;
  const last = steps.at(-1);
  // JSON
  for (const step of steps.slice(0, -1)) parent = (parent as Record<string | number, unknown> | undefined)?.[step];
  if (last === undefined || typeof parent !== 'object' || parent === null) return undefined;
  return { parent, key: last };
}

/** The value of a result, in what was sent. */
export function valueAt(place: NonNullable<JobResult['place']>, focus: unknown, resource: unknown): unknown {
  const at = placeIn(place, focus, resource);
  if (at === undefined) return place.of === 'focus' ? focus : resource;
  return (at.parent as Record<string | number, unknown>)[at.key]; // JSON
}

/** An expression to run in fhirpath.js. Objects of one request keep their identity on the way to the worker. */
export interface Job {
  readonly expression: string;
  readonly focus: Focus;
  /** `%resource` and `%rootResource`. */
  readonly resource: object;
  readonly rootResource: object;
  /**
   * The result of `resolve()`: for an index a resource with only the type that the reference names; for a rule the
   * contained resource, and for any other target the expression fails.
   */
  readonly resolve: 'type' | 'contained';
}

/** The value on which an expression is evaluated. */
export interface Focus {
  readonly value: unknown;
  /** The object with the extensions of a primitive. */
  readonly sibling?: unknown;
  /** FHIR type code: `Quantity`, `BackboneElement`, `Patient`. */
  readonly code: string;
  /** The type that has its elements: `Quantity`, `Patient.contact`, `Patient`. */
  readonly type: string;
}

export type JobAnswer =
  | { readonly kind: 'results'; readonly results: readonly JobResult[] }
  /** fhirpath.js rejects the expression, or fails on this value. */
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'late'; readonly milliseconds: number };

/** One result: its position in the value that was sent, or a computed value, as JSON. */
export interface JobResult {
  /** FHIR type code; for computed values FHIRPath's own type in lower case: `boolean`. */
  readonly type: string;
  readonly place?: { readonly of: 'focus' | 'resource'; readonly steps: readonly (string | number)[] };
  readonly value?: unknown;
}

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
