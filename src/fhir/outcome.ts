import { beyond } from './xml/read-xhtml.ts';
import type { OperationOutcome, OperationOutcomeIssue } from 'fhir/r4.js';

/** Issue severities and codes of R4. https://hl7.org/fhir/R4/valueset-issue-type.html */
export type IssueSeverity = OperationOutcomeIssue['severity'];
export type IssueCode = OperationOutcomeIssue['code'];

/** One problem, as data: a whole sentence that quotes the input and says how to correct it. */
export interface Issue {
  readonly severity: IssueSeverity;
  readonly code: IssueCode;
  /** The sentence; becomes `diagnostics`. */
  readonly text: string;
  /**
   * The place: `Patient.identifier[2].value` or `http.name`.
   * https://hl7.org/fhir/R4/operationoutcome-definitions.html#OperationOutcome.issue.expression
   */
  readonly expression?: string;
  /** Canonical of the StructureDefinition with the rule; undefined for rules of R4 itself. */
  readonly profile?: string;
  /** The key of an invariant (`obs-6`), or the id of the element and the kind of rule: `Observation.code min`. */
  readonly rule?: string;
  /**
   * A code for the kind of problem.
   * https://hl7.org/fhir/R4/operationoutcome-definitions.html#OperationOutcome.issue.details
   */
  readonly kind?: { readonly system: string; readonly code: string };
}

/**
 * The OperationOutcome with the issues; profile and rule are in R4's extension for the source.
 * https://hl7.org/fhir/R4/operationoutcome.html, https://hl7.org/fhir/R4/extension-operationoutcome-issue-source.html
 */
export function operationOutcome(issues: readonly Issue[]): OperationOutcome {
  return {
    resourceType: 'OperationOutcome',
    issue: issues.map(issue => ({
      ...(issue.rule === undefined ? {} : { extension: [{ url: issueSource, valueString: sourceOf(issue) }] }),
      severity: issue.severity,
      code: issue.code,
      ...(issue.kind === undefined ? {} : { details: { coding: [issue.kind], text: textOf(issue) } }),
      diagnostics: textOf(issue),
      ...(issue.expression === undefined
        ? {}
        : { expression: [withoutControls(cutAt(issue.expression, longestExpression))] }),
    })),
  };
}

const textOf = ({ text }: Issue): string => withoutControls(withShortQuotes(text));

/** Most characters of a quoted value, of an expression, and of a text. */
const [longestQuote, longestExpression, longestText] = [200, 1_000, 20_000];

/**
 * The text with values in backticks of 200 characters at most, each followed by its length if it is longer: a client
 * knows what it has sent, and logs of clients should not have it whole.
 */
function withShortQuotes(text: string): string {
  if (text.length <= longestQuote) return text;
  const parts = text
    .split('`')
    .map((part, at) => (at % 2 === 0 || part.length <= longestQuote ? part : cutAt(part, longestQuote)));
  return cutAt(parts.join('`'), longestText);
}

/**
 * The text with U+FFFD for characters of clients that a string of FHIR, and XML, cannot have.
 * https://hl7.org/fhir/R4/datatypes.html#string
 */
const withoutControls = (text: string): string => text.toWellFormed().replace(beyond, '\ufffd');

function cutAt(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length.toLocaleString('en')} characters)`;
}

const issueSource = 'http://hl7.org/fhir/StructureDefinition/operationoutcome-issue-source';

const sourceOf = ({ profile, rule = '' }: Issue): string => (profile === undefined ? rule : `${profile} › ${rule}`);
