/** Whether a ValueSet has a code. It contains nothing else of a resource, so nothing else is sent. */
export interface Question {
  /** Canonical, with or without version. */
  readonly valueSet: string;
  readonly system: string;
  readonly code: string;
}

/** `unsure`: the server does not know the ValueSet or the system; `unreachable`: it did not answer. */
export type Membership = 'in' | 'out' | 'unsure' | 'unreachable';

/** One text for all equal questions. */
export const keyOf = ({ valueSet, system, code }: Question): string => `${valueSet}\n${system}\n${code}`;

/**
 * Whether a question may be sent: canonical, system and code have valid forms and lengths, so that no misplaced text is
 * sent. https://hl7.org/fhir/R4/datatypes.html#code
 */
export function isAskable({ valueSet, system, code }: Question): boolean {
  return isUri(valueSet) && isUri(system) && isCode(code);
}

export const isCode = (text: string): boolean => text.length <= 64 && /^[!-~]+( [!-~]+){0,3}$/.test(text);

export const isUri = (text: string): boolean => text.length <= 256 && /^(https?:\/\/|urn:)[!-~]+$/.test(text);
