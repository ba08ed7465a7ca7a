import { createAccess } from '../access.ts';
import type { AccessPlace } from '../criteria.ts';
import { grantsOf, scopeExists } from '../grants.ts';
import type { Who } from '../context-query.ts';
import { orderHint } from '../scope.ts';
import type { TokenGrant } from './own-tokens.ts';

/** The request for a token of this service. */
export interface TokenRequest {
  readonly client: string;
  readonly subject: string | undefined;
  /** Reference to the user's own resource. */
  readonly fhirUser: string | undefined;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  readonly scopes: readonly string[];
  /** Lifetime in milliseconds. */
  readonly lifetime: number;
}

/**
 * The grant of a token in the partition of `place`. Throws Error with a sentence for a scope that does not exist, and
 * for one without effect: `patient/` without a patient, `user/` for a user who is not a clinician.
 */
export function grantToken(request: TokenRequest, partition: string, place: AccessPlace): TokenGrant {
  const { client, subject, fhirUser, patient, scopes, lifetime } = request;
  const scope = [...new Set(scopes)].join(' ');
  const unknown = scopes.find(scope => !scopeExists(scope, place.model));
  if (unknown !== undefined)
    throw new Error(
      `The scope \`${unknown}\` does not exist.${orderHint(unknown) || ' The capability files list those that do.'}`,
    );
  const expires = place.now + lifetime;
  const access = createAccess({ issuer: '', client, subject, fhirUser, patient, scope, partition, expires }, place);
  const idle = scopes.find(scope => !access.scopes.includes(scope));
  if (idle !== undefined)
    throw new Error(`The scope \`${idle}\` would have no effect: ${whyIdle(idle, access, place)}.`);
  return { client, subject, fhirUser, patient, scope, audience: place.base, issued: place.now, expires };
}

function whyIdle(scope: string, who: Who, place: AccessPlace): string {
  const [whole = '', search] = scope.split(/\?(.*)/s);
  if (search !== undefined && grantsOf(whole, who, place).length > 0)
    return 'its search is not valid, or matches no record';
  if (scope.startsWith('patient/')) return 'it needs the id of a patient in context, and types that belong to patients';
  if (scope.startsWith('user/')) return 'it is for users whose fhirUser is a clinician';
  if (scope === 'fhirUser')
    return 'it needs a user whose fhirUser is a resource of this partition, of a type that users may read so';
  return 'its context covers no record';
}
