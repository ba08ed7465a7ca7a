import { badValue, type FhirError, fhirError } from '../../fhir/error.ts';
import type { Model, SearchParam } from '../../model/model.ts';
import type { Expansions } from '../../terminology/expansion.ts';
import type { Test } from '../ast.ts';

/** The context on which the meaning of a search depends. */
export interface SearchContext {
  readonly model: Model;
  /** `{publicUrl}/r4/{partition}`: absolute references below it are to this partition. */
  readonly base: string;
  /** IANA zone in which times without an offset are read. */
  readonly zone: string;
  /** https://hl7.org/fhir/R4/search.html#errors */
  readonly handling: 'strict' | 'usual' | 'lenient';
  /** Milliseconds since 1970 UTC, to which `ap` is relative. */
  readonly now: number;
  /** The sets of codes, if others than those of the model are known. */
  readonly expansions?: Expansions;
  /** Whether chains and `_has` are accepted if the type supports them; rules and preconditions cannot evaluate them. */
  readonly joins?: true;
}

/** One of the comma-separated values of a parameter. */
export interface Value {
  /** The text as received, with escapes; never empty. */
  readonly text: string;
  readonly param: SearchParam;
  /** The name in the request: for a component the name of its composite. */
  readonly name: string;
}

/** Returns the tests; one must match. Throws FhirError 400 for a malformed value. */
export type ValueParser = (value: Value, context: SearchContext) => readonly Test[];

/** The error of a malformed value: quotes it and describes the expected form. */
export function malformed(value: Value, expected: string): FhirError {
  return badValue(value.name, `\`${value.text}\` is not a value for \`${value.name}\`: ${expected}.`);
}

/** Most characters of a text that is sought within others: a pattern of MongoDB has up to 32,764 bytes. */
const LONGEST_PART = 10_000;

/** The text, which others are to contain. Throws FhirError 400 if it is too long for that. */
export function asPart({ name }: Value, text: string): string {
  if (text.length <= LONGEST_PART) return text;
  const [found, most] = [text.length, LONGEST_PART].map(length => length.toLocaleString('en'));
  throw fhirError(
    400,
    'too-long',
    `\`${name}\` has a value of ${found} characters: give at most ${most}.`,
    `http.${name}`,
  );
}
