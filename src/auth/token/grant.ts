import { createAccess } from '../access.ts';
import type { Place } from '../criteria.ts';
import { grantsOf, scopeExists } from '../grants.ts';
import type { Who } from '../reach.ts';
import type { TokenGrant } from './own-tokens.ts';

/** Whom a token of ours is asked for. */
export interface TokenRequest {
  readonly client: string;
  readonly subject: string | undefined;
  /** Reference to the user's own resource. */
  readonly fhirUser: string | undefined;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  readonly scopes: readonly string[];
  /** How long it lives, in milliseconds. */
  readonly lifetime: number;
}

/**
 * What such a token is to be good for in the partition of `place`. Throws Error with a sentence for a scope that does not exist
 * here, and for one that would count for nothing: `patient/` without a patient, `user/` for a user who is no clinician.
 */
export function grantToken(request: TokenRequest, partition: string, place: Place): TokenGrant {
  const { client, subject, fhirUser, patient, scopes, lifetime } = request;
  const scope = [...new Set(scopes)].join(' ');
  const unknown = scopes.find(scope => !scopeExists(scope, place.model));
  if (unknown !== undefined)
    throw new Error(`The scope \`${unknown}\` does not exist here; capability files say which do.`);
  const expires = place.now + lifetime;
  const access = createAccess({ issuer: '', client, subject, fhirUser, patient, scope, partition, expires }, place);
  const idle = scopes.find(scope => !access.scopes.includes(scope));
  if (idle !== undefined)
    throw new Error(`The scope \`${idle}\` would count for nothing: ${whyIdle(idle, access, place)}.`);
  return { client, subject, fhirUser, patient, scope, audience: place.base, issued: place.now, expires };
}

function whyIdle(scope: string, who: Who, place: Place): string {
  const [whole = '', search] = scope.split(/\?(.*)/s);
  if (search !== undefined && grantsOf(whole, who, place).length > 0)
    return 'its search does not work, or finds nothing of what it is for';
  if (scope.startsWith('patient/')) return 'it needs the id of a patient in context, and types that belong to patients';
  if (scope.startsWith('user/')) return 'it is for users whose fhirUser is a clinician';
  if (scope === 'fhirUser')
    return 'it needs a user whose fhirUser is a resource of this partition, of a type that users may read so';
  return 'its context reaches nothing here';
}
