import { printETag } from './etag.ts';
import type { Issue, IssueCode } from './outcome.ts';

/**
 * An error of an interaction: an HTTP status and the issues for the client. Any other exception is an internal fault.
 */
export class FhirError extends Error {
  readonly status: number;
  readonly issues: readonly Issue[];
  /** Response headers of the error, such as Allow or Retry-After. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, issues: readonly Issue[], headers: Readonly<Record<string, string>> = {}) {
    super(issues.map(issue => issue.text).join(' '));
    this.name = 'FhirError';
    this.status = status;
    this.issues = issues;
    this.headers = headers;
  }
}

/** A FhirError with one issue of severity error. */
export function fhirError(
  status: number,
  code: IssueCode,
  text: string,
  expression?: string,
  headers?: Readonly<Record<string, string>>,
): FhirError {
  const issue: Issue = { severity: 'error', code, text, ...(expression === undefined ? {} : { expression }) };
  return new FhirError(status, [issue], headers);
}

/** No resource has this id. https://hl7.org/fhir/R4/http.html#read */
export const notFound = (resourceType: string, id: string): FhirError =>
  fhirError(404, 'not-found', `No ${resourceType} has the id \`${id}\`.`);

/** The resource was deleted, by this version. https://hl7.org/fhir/R4/http.html#read */
export const gone = (resourceType: string, id: string, version: number): FhirError =>
  fhirError(410, 'deleted', `The ${resourceType} with the id \`${id}\` was deleted.`, undefined, {
    ETag: printETag(version),
  });

/** A search parameter with a malformed value. https://hl7.org/fhir/R4/search.html#errors */
export const badValue = (parameter: string, text: string): FhirError =>
  fhirError(400, 'value', text, `http.${parameter}`);
