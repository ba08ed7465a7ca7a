import { randomBytes } from 'node:crypto';
import type { DocumentStore } from '../../store/store.ts';
import { TokenRefused } from '../claims.ts';
import type { Claims } from '../claims.ts';
import { digestOf } from './digest.ts';

/** What a token of our own is good for, as it is kept under the digest of the token. */
export interface TokenGrant {
  readonly client: string;
  /** The user; undefined for a client that acts for itself. */
  readonly subject?: string | undefined;
  /** Space-separated. */
  readonly scope: string;
  /** Id of the patient in context. */
  readonly patient?: string | undefined;
  readonly fhirUser?: string | undefined;
  /** The base URL of the one partition that it is for. */
  readonly audience: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/** Where the grants are kept: `store.documents(tokenCollection)`. */
export const tokenCollection = 'tokens';

/** By which a token of ours is told from others, also by whoever finds one where none should be. */
export const tokenPrefix = 'crs_';

/** Makes a token of 256 random bits and keeps what it is good for; the token itself is kept nowhere. */
export async function issueToken(tokens: DocumentStore, grant: TokenGrant): Promise<string> {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`;
  await tokens.put(digestOf(token), grant, grant.expires);
  return token;
}

/**
 * What a token of ours says; undefined for one that is not kept: never issued, expired, revoked. Throws TokenRefused for one
 * whose audience is not a base URL of this service.
 */
export async function readOwnToken(
  tokens: DocumentStore,
  digest: string,
  publicUrl: string,
): Promise<Claims | undefined> {
  const grant = (await tokens.get(digest)) as TokenGrant | undefined; // only issueToken writes it
  if (grant === undefined) return undefined;
  const { client, subject, scope, patient, fhirUser, audience, expires } = grant;
  const above = `${publicUrl}/r4/`;
  if (!audience.startsWith(above)) throw new TokenRefused('The token is for another service.');
  return {
    issuer: publicUrl,
    client,
    subject,
    scope,
    patient,
    fhirUser,
    partition: audience.slice(above.length),
    expires,
  };
}
