import { FhirError } from '../../fhir/error.ts';
import { limitIssues } from '../../validation/report.ts';
import { storeFailure } from '../answer-of.ts';
import { mostIssues } from '../write/client-context.ts';
import { placedInBundle } from './entry-places.ts';
import type { PlacedEntry } from './entry-places.ts';

/** The errors of the entries of a transaction. */
export class EntryFailures {
  readonly #failures = new Map<number, FhirError>();
  /** The number of their issues. */
  #count = 0;

  /** Whether an entry has failed. */
  has({ index }: PlacedEntry): boolean {
    return this.#failures.has(index);
  }

  /**
   * Remembers what an entry has failed for. Throws it if the other entries cannot be expected to work: for errors of
   * the server, and for others than FhirError.
   */
  add(entry: PlacedEntry, error: unknown): void {
    const failure = error instanceof FhirError ? error : storeFailure(error);
    if (failure === undefined) throw error;
    const issues = placedInBundle(entry, failure);
    // Beyond the number that is listed, one for each entry, since an earlier one may still fail.
    const placed = new FhirError(
      failure.status,
      this.#count > mostIssues ? issues.slice(0, 1) : issues,
      failure.headers,
    );
    if (failure.status >= 500) throw placed;
    if (this.has(entry)) return;
    this.#failures.set(entry.index, placed);
    this.#count += placed.issues.length;
  }

  /** Calls a function, and adds what it throws. */
  during(entry: PlacedEntry, work: () => unknown): void {
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
