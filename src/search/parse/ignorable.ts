import type { FhirError } from '../../fhir/error.ts';

/** Wraps an error that lenient handling turns into a warning. */
export class Ignorable extends Error {
  override readonly cause: FhirError;
  constructor(cause: FhirError) {
    super(cause.message);
    this.cause = cause;
  }
}
