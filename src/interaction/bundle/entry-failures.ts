import { FhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { limitIssues } from '../../validation/report.ts';
import { storeFailure } from '../store-failure.ts';
import { mostIssues } from '../write/validate-in-turn.ts';
import type { BatchEntry } from './batch-entry.ts';
import { headerElement } from './header-elements.ts';

type FailedEntry = Pick<BatchEntry, 'index' | 'value'>;

/** The errors of the entries of a transaction. */
export class EntryFailures {
  readonly #failures = new Map<number, FhirError>();

  /** Whether an entry has failed. */
  has({ index }: FailedEntry): boolean {
    return this.#failures.has(index);
  }

  /**
   * Remembers what an entry has failed for. Throws it if the other entries cannot be expected to work: for errors of
   * the server, and for others than FhirError.
   */
  add(entry: FailedEntry, error: unknown): void {
    const failure = error instanceof FhirError ? error : storeFailure(error);
    if (failure === undefined) throw error;
    const placed = new FhirError(failure.status, placedIn(entry, failure.issues), failure.headers);
    if (failure.status >= 500) throw placed;
    if (!this.has(entry)) this.#failures.set(entry.index, placed);
  }

  /** Calls a function, and adds what it throws. */
  during(entry: FailedEntry, work: () => unknown): void {
    try {
      work();
    } catch (error) {
      this.add(entry, error);
    }
  }

  /** Throws a FhirError with the issues of all failed entries, in their order, and the status of the first. */
  throw(): void {
    const failures = [...this.#failures].toSorted(([a], [b]) => a - b).map(([, failure]) => failure);
    const [first] = failures;
    if (first === undefined) return;
    const issues = failures.flatMap(failure => failure.issues);
    throw new FhirError(first.status, limitIssues(issues, mostIssues), first.headers);
  }
}

/** The issues of the request of an entry, with their places in the Bundle. */
function placedIn({ index, value }: FailedEntry, issues: readonly Issue[]): readonly Issue[] {
  const { resource, request } = value;
  const type = isObject(resource) ? String(resource['resourceType']) : '';
  const criteria = isObject(request) && request['ifNoneExist'] !== undefined ? 'request.ifNoneExist' : 'request.url';
  const place = (expression: string | undefined): string =>
    placeOf(`Bundle.entry[${index}]`, { type, criteria }, expression);
  return issues.map(issue => ({ ...issue, expression: place(issue.expression) }));
}

/** `criteria` is the element of the parameters of a search. */
function placeOf(
  entry: string,
  { type, criteria }: { readonly type: string; readonly criteria: string },
  expression: string | undefined,
): string {
  if (expression === undefined) return entry;
  if (expression.startsWith(entry)) return expression;
  if (expression.startsWith('http.')) return `${entry}.${headerElement(expression) ?? criteria}`;
  if (expression === 'resourceType') return `${entry}.resource.resourceType`;
  const isInside = expression === type || expression.startsWith(`${type}.`);
  return isInside && type !== '' ? `${entry}.resource${expression.slice(type.length)}` : entry;
}
