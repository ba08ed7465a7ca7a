import type { JsonError } from '../fhir/json.ts';

/**
 * A mistake in the definitions that prevents the start: its place, what is wrong and what was expected, in whole
 * sentences.
 */
export interface Problem {
  /** File for messages; `package.tgz/entry` in a package. */
  readonly file: string;
  /** JSON path in the file (`rest[0].resource[2].type`); empty for the file as a whole. */
  readonly path: string;
  readonly text: string;
}

/** `capability/service.json rest[0].resource[2].type: …`, one line. */
export const printProblem = ({ file, path, text }: Problem): string =>
  `${file}${path === '' ? '' : ` ${path}`}: ${text}`;

/** The error of a file that is not JSON, with its place. */
export const explainJsonError = ({ message, line, column }: JsonError): string =>
  `${message} Line ${line}, column ${column}.`;
