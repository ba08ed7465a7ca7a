/** Whether a ValueSet has a code. Nothing else of a resource is in it, and so nothing else leaves. */
export interface Question {
  /** Canonical, with or without version. */
  readonly valueSet: string;
  readonly system: string;
  readonly code: string;
}

/** `unsure`: the server does not know the ValueSet or the system; `unreachable`: it did not answer, for now. */
export type Answer = 'in' | 'out' | 'unsure' | 'unreachable';

/** One text for the same question. */
export const keyOf = ({ valueSet, system, code }: Question): string => `${valueSet}\n${system}\n${code}`;

/**
 * Whether a question may be sent: of the form that canonicals, systems and codes have, and no longer than they are, so that no
 * text that somebody wrote in the wrong place leaves. https://hl7.org/fhir/R4/datatypes.html#code
 */
export function isAskable({ valueSet, system, code }: Question): boolean {
  return isUri(valueSet) && isUri(system) && code.length <= 64 && /^[!-~]+( [!-~]+){0,3}$/.test(code);
}

const isUri = (text: string): boolean => text.length <= 256 && /^(https?:\/\/|urn:)[!-~]+$/.test(text);
