/** Who is confined how: to the patient in context, to what a clinician sees, to what a system sees, to the user's own resource. */
export type Context = 'patient' | 'user' | 'system' | 'fhirUser';

/** create, read, update, delete, search. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html */
export type Letter = 'c' | 'r' | 'u' | 'd' | 's';

/** A scope that is about resources. */
export interface Scope {
  readonly context: Exclude<Context, 'fhirUser'>;
  /** A resource type, or `*` for every one. */
  readonly resourceType: string;
  readonly letters: readonly Letter[];
  /** The search after the `?`, as it was written; undefined without one. */
  readonly criteria: string | undefined;
}

/**
 * A scope of version 2 (`patient/Condition.rs?category=…`) or 1 (`patient/Condition.read`), case and order of the letters being
 * part of it; undefined for any other text, which is to count for nothing.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources
 */
export function parseScope(text: string): Scope | undefined {
  const [, context, resourceType = '', permission = '', , criteria] = form.exec(text) ?? [];
  if (context !== 'patient' && context !== 'user' && context !== 'system') return undefined;
  const old = Object.hasOwn(versionOne, permission) ? versionOne[permission] : undefined;
  if (old !== undefined && criteria !== undefined) return undefined; // version 1 has no `?`
  const letters = all.filter(letter => (old ?? permission).includes(letter));
  return { context, resourceType, letters, criteria };
}

const all: readonly Letter[] = ['c', 'r', 'u', 'd', 's'];

const form =
  /^(patient|user|system)\/([A-Z][A-Za-z]{0,63}|\*)\.(read|write|\*|(?=[cruds])c?r?u?d?s?)(\?([\x21\x23-\x5b\x5d-\x7e]{1,2000}))?$/;

/** What permissions of version 1 stand for. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources */
export const versionOne: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };
