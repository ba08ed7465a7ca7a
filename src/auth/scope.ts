/**
 * The contexts of scopes: the patient in context, the records of a clinician, those of a system, the user's own
 * resource.
 */
export type Context = 'patient' | 'user' | 'system' | 'fhirUser';

/** create, read, update, delete, search. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html */
export type Letter = 'c' | 'r' | 'u' | 'd' | 's';

/** A scope on resources. */
export interface Scope {
  readonly context: Exclude<Context, 'fhirUser'>;
  /** A resource type, or `*` for all types. */
  readonly resourceType: string;
  readonly letters: readonly Letter[];
  /** The search after the `?`, as written; undefined without one. */
  readonly criteria: string | undefined;
}

/**
 * Parses a scope of version 2 (`patient/Condition.rs?category=…`) or 1 (`patient/Condition.read`), with exact case and
 * order of the letters; undefined for any other text, which must have no effect.
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

/**
 * The scope with the letters of its permission in their order, each once; undefined if it has them so, or is no scope
 * on resources in any order: for texts that say what to send instead.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources
 */
function inOrder(text: string): string | undefined {
  const [, before = '', letters = '', after = ''] = /^(\w+\/[\w*]+\.)([cruds]+)(\?.*)?$/.exec(text) ?? [];
  const ordered = `${before}${all.filter(letter => letters.includes(letter)).join('')}${after}`;
  return ordered === text || parseScope(ordered) === undefined ? undefined : ordered;
}

/** The sentence for a scope whose letters are in another order, after one that names the scope; empty for others. */
export function orderHint(text: string): string {
  const ordered = inOrder(text);
  return ordered === undefined ? '' : ` The letters are in the order \`cruds\`: \`${ordered}\`.`;
}

/**
 * The letters of version 1 permissions.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-fhir-resources
 */
export const versionOne: Readonly<Record<string, string>> = { read: 'rs', write: 'cud', '*': 'cruds' };
