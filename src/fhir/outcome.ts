/** Issue severities and codes of R4. https://hl7.org/fhir/R4/valueset-issue-type.html */
export type IssueSeverity = 'fatal' | 'error' | 'warning' | 'information';

export type IssueCode =
  | 'invalid'
  | 'structure'
  | 'required'
  | 'value'
  | 'invariant'
  | 'security'
  | 'login'
  | 'unknown'
  | 'expired'
  | 'forbidden'
  | 'suppressed'
  | 'processing'
  | 'not-supported'
  | 'duplicate'
  | 'multiple-matches'
  | 'not-found'
  | 'deleted'
  | 'too-long'
  | 'code-invalid'
  | 'extension'
  | 'too-costly'
  | 'business-rule'
  | 'conflict'
  | 'transient'
  | 'lock-error'
  | 'no-store'
  | 'exception'
  | 'timeout'
  | 'incomplete'
  | 'throttled'
  | 'informational';

/** One thing that is wrong, as data: a whole sentence that quotes what was wrong and says how to mend it. */
export interface Issue {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  /** The sentence for people; becomes `diagnostics`. */
  readonly text: string;
  /** Where: `Patient.identifier[2].value` or `http.name`. https://hl7.org/fhir/R4/operationoutcome-definitions.html#OperationOutcome.issue.expression */
  readonly expression?: string;
}

/** The OperationOutcome that carries the issues. https://hl7.org/fhir/R4/operationoutcome.html */
export function operationOutcome(issues: readonly Issue[]): OperationOutcome {
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map(issue => ({
      severity: issue.severity,
      code: issue.code,
      diagnostics: issue.text,
      ...(issue.expression === undefined ? {} : { expression: [issue.expression] }),
    })),
  };
}

export interface OperationOutcome {
  readonly resourceType: 'OperationOutcome';
  readonly issue: readonly {
    readonly severity: IssueSeverity;
    readonly code: IssueCode;
    readonly diagnostics: string;
    readonly expression?: readonly string[];
  }[];
}
