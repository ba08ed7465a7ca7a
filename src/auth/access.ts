import type { LocalReference } from './fhir-user.ts';
import type { Query } from '../search/ast.ts';

/** Who is confined how: to the patient in context, to what a clinician sees, to what a system sees, to the user's own resource. */
export type Context = 'patient' | 'user' | 'system' | 'fhirUser';

/** create, read, update, delete, search. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html */
export type Letter = 'c' | 'r' | 'u' | 'd' | 's';

/** What one scope of a token gives on one resource type. */
export interface Grant {
  readonly context: Context;
  readonly resourceType: string;
  readonly letters: readonly Letter[];
  /** The resources that it is about. */
  readonly query: Query;
}

/** Who asks, and what that token may do in one partition: made once from its claims, frozen. */
export interface AccessContext {
  readonly partition: string;
  readonly issuer: string;
  readonly client: string;
  readonly subject: string | undefined;
  /** The resource of the user; undefined where the token names none. */
  readonly fhirUser: LocalReference | undefined;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** The scopes of the token that count for something here, each once, in order. */
  readonly scopes: readonly string[];
  readonly grants: readonly Grant[];
  /** Digest of issuer, client, user, patient and scopes: what page tokens and keys of retries are bound to. */
  readonly caller: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/** `open`: the server runs without access control, so that everybody may do everything. */
export type Access = AccessContext | 'open';
