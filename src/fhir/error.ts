import type { Issue, IssueCode } from './outcome.ts';

/** What ends an interaction: an HTTP status and the issues that the client is told. Everything else that is thrown is a fault. */
export class FhirError extends Error {
  readonly status: number;
  readonly issues: readonly Issue[];
  /** Response headers that belong to the failure, such as Allow or Retry-After. */
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

/** Nothing has this id. https://hl7.org/fhir/R4/http.html#read */
export const notFound = (resourceType: string, id: string): FhirError =>
  fhirError(404, 'not-found', `No ${resourceType} has the id \`${id}\`.`);

/** It was there and was deleted. https://hl7.org/fhir/R4/http.html#read */
export const gone = (resourceType: string, id: string): FhirError =>
  fhirError(410, 'deleted', `The ${resourceType} with the id \`${id}\` was deleted.`);

/** A search parameter whose value cannot be read. https://hl7.org/fhir/R4/search.html#errors */
export const badValue = (parameter: string, text: string): FhirError =>
  fhirError(400, 'value', text, `http.${parameter}`);
