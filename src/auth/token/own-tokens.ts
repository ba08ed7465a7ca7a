import { randomBytes } from 'node:crypto';
import type { DocumentStore } from '../../store/port/documents.ts';
import { TokenRefused } from '../claims.ts';
import type { Claims } from '../claims.ts';
import { digestOf } from './digest.ts';
import { isRevoked } from './revocations.ts';

/** The grant of a token of this service, stored under the digest of the token. */
export interface TokenGrant {
  readonly client: string;
  /** The user; undefined for a backend service. */
  readonly subject?: string | undefined;
  /** Space-separated. */
  readonly scope: string;
  /** Id of the patient in context. */
  readonly patient?: string | undefined;
  readonly fhirUser?: string | undefined;
  /** The base URL of the one partition that it is for. */
  readonly audience: string;
  /** Milliseconds since 1970 UTC. */
  readonly issued: number;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
  /** Ids of its consent and of the session in which that was given; undefined without a user. */
  readonly grant?: string | undefined;
  readonly session?: string | undefined;
}

/** The collection of grants: `store.documents(tokenCollection)`. */
export const tokenCollection = 'tokens';

/** Distinguishes tokens of this service from others, also for secret scanners. */
export const tokenPrefix = 'crs_';

/** A new token of 256 random bits. */
export const newToken = (): string => `${tokenPrefix}${randomBytes(32).toString('base64url')}`;

/** Issues a token and stores its grant; the token itself is not stored. */
export async function issueToken(tokens: DocumentStore, grant: TokenGrant): Promise<string> {
  const token = newToken();
  await tokens.put(digestOf(token), grant, { expires: grant.expires });
  return token;
}

/** Tokens of this service, and their revocations. */
export interface OwnTokens {
  /** `store.documents(tokenCollection)` */
  readonly tokens: DocumentStore;
  /** `store.documents(revocationCollection)` */
  readonly revocations: DocumentStore;
}

/** The grant of a token by its digest; undefined if it was never issued, has expired or is revoked. */
export async function findGrant({ tokens, revocations }: OwnTokens, digest: string): Promise<TokenGrant | undefined> {
  // only issueToken and the authorization server write it
  const grant = (await tokens.get(digest)) as TokenGrant | undefined;
  if (grant === undefined) return undefined;
  const { client, subject: user, grant: consent, session, audience, issued } = grant;
  const partition = audience.slice(audience.lastIndexOf('/') + 1);
  const ended = await isRevoked(revocations, { grant: consent, client, user, session, partition }, issued);
  return ended ? undefined : grant;
}

/**
 * The claims of a token of this service; undefined if it was never issued, has expired or is revoked. Throws
 * TokenRefused for an audience that is not a base URL of this service.
 */
export async function readOwnToken(own: OwnTokens, digest: string, publicUrl: string): Promise<Claims | undefined> {
  const grant = await findGrant(own, digest);
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
