import { hash } from 'node:crypto';
import { isId } from '../fhir/id.ts';
import type { Query } from '../search/ast.ts';
import { simplify } from '../search/simplify.ts';
import { TokenRefused } from './claims.ts';
import type { Claims } from './claims.ts';
import type { Place } from './criteria.ts';
import { parseFhirUser } from './fhir-user.ts';
import type { LocalReference } from './fhir-user.ts';
import { grantsOf } from './grants.ts';
import type { Grant } from './grants.ts';
import type { Letter } from './scope.ts';

/**
 * What follows from the claims of a token in its partition. `place` is that of the partition; `now` is the time from which
 * `ap` in a scope is reckoned. Scopes that count for nothing are left out. Throws TokenRefused for more scopes than anybody needs,
 * since every search would ask for each of them.
 */
export function createAccess(claims: Claims, place: Place): AccessContext {
  const { issuer, client, subject, partition, expires } = claims;
  const patient = claims.patient !== undefined && isId(claims.patient) ? claims.patient : undefined;
  const fhirUser = parseFhirUser(claims.fhirUser, place.base);
  const asked = [...new Set(claims.scope.split(' '))].filter(scope => scope !== '').sort();
  if (asked.length > mostScopes) throw new TokenRefused(`The token has more than ${mostScopes} scopes.`);
  const given = asked.map(scope => ({ scope, grants: grantsOf(scope, { client, patient, fhirUser }, place) }));
  const counting = given.filter(({ grants }) => grants.length > 0);
  const scopes = counting.map(({ scope }) => scope);
  const grants = counting.flatMap(one => one.grants);
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

/** Different ones, with and without a search behind a `?`. */
export const mostScopes = 200;

/** What page tokens and keys of retries are bound to; empty without access control. */
export const callerOf = (access: Access): string => (access === 'open' ? '' : access.caller);

/** What the grants give together. */
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
 * What grants on one type give. What their context reaches is asked for once, beside all that they narrow it to, and all of it is
 * simplified in one go: with many scopes a search would otherwise cost hundreds of times as much.
 */
function together(grants: readonly Grant[]): Query {
  const contexts = [...Map.groupBy(grants, ({ context }) => context).values()];
  return simplify({
    kind: 'or',
    of: contexts.map((of): Query => {
      const criteria: Query = { kind: 'or', of: of.map(grant => grant.criteria) };
      return { kind: 'and', of: [...of.slice(0, 1).map(({ reach }) => reach), criteria] };
    }),
  });
}

/** What of a type is open for a letter, by both; nothing where there is none. */
export type Restrictions = ReadonlyMap<string, Readonly<Partial<Record<Letter, Query>>>>;

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
  /** What the grants give together (restrict.ts). */
  readonly restrictions: Restrictions;
  /** Digest of issuer, client, user, patient and scopes: what page tokens and keys of retries are bound to. */
  readonly caller: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/** `open`: the server runs without access control, so that everybody may do everything. */
export type Access = AccessContext | 'open';
