import { randomBytes } from 'node:crypto';
import type { DocumentStore } from '../../store/documents.ts';
import { TokenRefused } from '../claims.ts';
import type { Claims } from '../claims.ts';
import { digestOf } from './digest.ts';
import { isRevoked } from './revocations.ts';

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
  readonly issued: number;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
  /** Id of the consent that it follows from, and of the sign-in in which that was given; undefined without a user. */
  readonly grant?: string | undefined;
  readonly session?: string | undefined;
}

/** Where the grants are kept: `store.documents(tokenCollection)`. */
export const tokenCollection = 'tokens';

/** By which a token of ours is told from others, also by whoever finds one where none should be. */
export const tokenPrefix = 'crs_';

/** A new token of 256 random bits. */
export const newToken = (): string => `${tokenPrefix}${randomBytes(32).toString('base64url')}`;

/** Makes a token and keeps what it is good for; the token itself is kept nowhere. */
export async function issueToken(tokens: DocumentStore, grant: TokenGrant): Promise<string> {
  const token = newToken();
  await tokens.put(digestOf(token), grant, grant.expires);
  return token;
}

/** Where tokens of our own are kept, and what ends them before their time. */
export interface OwnTokens {
  /** `store.documents(tokenCollection)` */
  readonly tokens: DocumentStore;
  /** `store.documents(revocationCollection)` */
  readonly revocations: DocumentStore;
}

/** What the token of a digest is good for; undefined for one that is not kept: never issued, expired, revoked. */
export async function findGrant({ tokens, revocations }: OwnTokens, digest: string): Promise<TokenGrant | undefined> {
  const grant = (await tokens.get(digest)) as TokenGrant | undefined; // only issueToken and the authorization server write it
  if (grant === undefined) return undefined;
  const { client, subject: user, grant: consent, session, audience, issued } = grant;
  const partition = audience.slice(audience.lastIndexOf('/') + 1);
  const ended = await isRevoked(revocations, { grant: consent, client, user, session, partition }, issued);
  return ended ? undefined : grant;
}

/**
 * What a token of ours says; undefined for one that is not kept: never issued, expired, revoked. Throws TokenRefused for one
 * whose audience is not a base URL of this service.
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
