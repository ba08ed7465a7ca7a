import { badValue, type FhirError } from '../../fhir/error.ts';
import type { Model, SearchParam } from '../../model/model.ts';
import type { Test } from '../ast.ts';

/** What the meaning of a search depends on besides its own words. */
export interface SearchContext {
  readonly model: Model;
  /** `{publicUrl}/r4/{partition}`: absolute references below it are our own. */
  readonly base: string;
  /** IANA zone in which times without an offset are read. */
  readonly zone: string;
  /** https://hl7.org/fhir/R4/search.html#errors */
  readonly handling: 'strict' | 'lenient';
  /** Milliseconds since 1970 UTC; `ap` is reckoned from it. */
  readonly now: number;
  /** Chains and `_has` are accepted where the type offers them; rules and preconditions cannot follow them. */
  readonly joins?: true;
}

/** One of the comma-separated values of a parameter. */
export interface Value {
  /** As it came, escapes and all; never empty. */
  readonly text: string;
  readonly param: SearchParam;
  /** What the client called it: for a component the name of its composite. */
  readonly name: string;
}

/** Gives the tests of which one must pass; throws FhirError 400 for a value that cannot be read. */
export type ValueParser = (value: Value, context: SearchContext) => readonly Test[];

/** The answer to a value that its type cannot have: quotes it and says what is expected. */
export function malformed(value: Value, expected: string): FhirError {
  return badValue(value.name, `\`${value.text}\` is not a value for \`${value.name}\`: ${expected}.`);
}
