import { hash } from 'node:crypto';
import { isId } from '../fhir/reference.ts';
import type { Query } from '../search/ast.ts';
import { simplify } from '../search/simplify.ts';
import { TokenRefused } from './claims.ts';
import type { Claims } from './claims.ts';
import type { AccessPlace } from './criteria.ts';
import { parseFhirUser } from './fhir-user.ts';
import type { LocalReference } from './fhir-user.ts';
import { definitionGrants, grantsOf } from './grants.ts';
import type { Grant } from './grants.ts';
import type { Letter } from './scope.ts';

/**
 * The access that the claims of a token grant in its partition. `place` is that of the partition; `now` in it is the
 * time to which `ap` in a scope is relative. Scopes without effect are left out. Throws TokenRefused for more than
 * `mostScopes` scopes, since every search has a clause for each of them.
 */
export function createAccess(claims: Claims, place: AccessPlace): AccessContext {
  const { issuer, client, subject, partition, expires } = claims;
  const patient = claims.patient !== undefined && isId(claims.patient) ? claims.patient : undefined;
  const fhirUser = parseFhirUser(claims.fhirUser, place.base);
  const asked = [...new Set(claims.scope.split(' '))].filter(scope => scope !== '').sort();
  if (asked.length > mostScopes) throw new TokenRefused(`The token has more than ${mostScopes} scopes.`);
  const given = asked.map(scope => ({ scope, grants: grantsOf(scope, { client, patient, fhirUser }, place) }));
  const counting = given.filter(({ grants }) => grants.length > 0);
  const scopes = counting.map(({ scope }) => scope);
  const grants = [...counting.flatMap(one => one.grants), ...definitionGrants(place.model)];
  const who = [issuer, client, subject, fhirUser?.reference, patient, scopes];
  return Object.freeze({
    partition,
    issuer,
    client,
    subject,
    fhirUser,
    patient,
    scopes,
    grants,
    restrictions: restrictionsOf(grants),
    caller: hash('sha256', JSON.stringify(who), 'base64url'),
    expires,
  });
}

/** Distinct ones, with and without a search after a `?`. */
export const mostScopes = 200;

/** The caller that page tokens and idempotency keys are bound to; empty without access control. */
export const callerOf = (access: Access): string => (access === 'open' ? '' : access.caller);

/** The restrictions of all grants together. */
function restrictionsOf(grants: readonly Grant[]): Restrictions {
  const types = Map.groupBy(grants, ({ resourceType }) => resourceType);
  return new Map([...types].map(([type, of]) => [type, byLetter(of)]));
}

function byLetter(grants: readonly Grant[]): Readonly<Partial<Record<Letter, Query>>> {
  const each = grants.flatMap(grant => grant.letters.map(letter => ({ letter, grant })));
  const letters = Map.groupBy(each, ({ letter }) => letter);
  return Object.fromEntries([...letters].map(([letter, of]) => [letter, together(of.map(({ grant }) => grant))]));
}

/**
 * The union of the grants on one type. Grants with the same context query share it, and the whole is simplified at
 * once: otherwise a search with many scopes would cost hundreds of times as much.
 */
export function together(grants: readonly Grant[]): Query {
  const contexts = [...Map.groupBy(grants, ({ context }) => context).values()];
  return simplify({
    kind: 'or',
    of: contexts.map((of): Query => {
      const criteria: Query = { kind: 'or', of: of.map(grant => grant.criteria) };
      return { kind: 'and', of: [...of.slice(0, 1).map(({ contextQuery }) => contextQuery), criteria] };
    }),
  });
}

/** The query that a caller may see, by type and letter; none where nothing is open. */
export type Restrictions = ReadonlyMap<string, Readonly<Partial<Record<Letter, Query>>>>;

/** The caller and the rights of its token in one partition: made once from its claims, frozen. */
export interface AccessContext {
  readonly partition: string;
  readonly issuer: string;
  readonly client: string;
  readonly subject: string | undefined;
  /** The resource of the user; undefined if the token names none. */
  readonly fhirUser: LocalReference | undefined;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** The scopes of the token that have an effect here, each once, in order. */
  readonly scopes: readonly string[];
  readonly grants: readonly Grant[];
  /** The restrictions of all grants together (restrict.ts). */
  readonly restrictions: Restrictions;
  /** Digest of issuer, client, user, patient and scopes, to which page tokens and idempotency keys are bound. */
  readonly caller: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/** `open`: the server runs without access control, and every caller may do everything. */
export type Access = AccessContext | 'open';
