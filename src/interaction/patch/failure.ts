import type { FhirError } from '../../fhir/error.ts';
import { fhirError } from '../../fhir/error.ts';
import type { IssueCode } from '../../fhir/outcome.ts';

/** An operation of a patch document, for errors. */
export interface OperationPlace {
  /** From 0. */
  readonly index: number;
  /** `replace` of `/birthDate`, as it may be quoted. */
  readonly what: string;
  /** The place of the operation in its document: `Parameters.parameter[2]`, `$this[2]`. */
  readonly expression: string;
}

/** The document is malformed: `why` is a sentence. https://www.rfc-editor.org/rfc/rfc5789#section-2.2 */
export const malformed = (why: string, expression: string): FhirError =>
  fhirError(400, 'structure', `The patch is not valid: ${why}`, expression);

/** The operation cannot be applied to the record: `why` is a sentence, without content of the record. */
export const unprocessable = (
  { index, what, expression }: OperationPlace,
  why: string,
  element = '',
  code: IssueCode = 'processing',
): FhirError =>
  fhirError(
    422,
    code,
    `Operation ${index + 1} (${what}) cannot be applied: ${why} The record is unchanged.`,
    `${expression}${element}`,
  );
