import type { DocumentStore } from '../../store/port/documents.ts';

/** The scope of a revocation: the tokens of one consent, of a client, of a user, of a session, of a partition. */
export type Revoked = 'grant' | 'client' | 'user' | 'session' | 'partition';

/** The collection of revocations: `store.documents(revocationCollection)`. */
export const revocationCollection = 'revocations';

/** The entities whose revocation ends a token, code or session; undefined for none. */
export type RevocationTargets = Readonly<Partial<Record<Revoked, string | undefined>>>;

/**
 * Revokes everything that was issued up to now (milliseconds since 1970 UTC) for one entity: access tokens within ten
 * seconds in every process, refresh tokens, codes and sessions at once.
 */
export async function revoke(revocations: DocumentStore, kind: Revoked, id: string, now: number): Promise<void> {
  await revocations.put(`${kind}:${id}`, { at: now }, { expires: now + kept });
}

/** True if anything that was issued at that time (milliseconds since 1970 UTC) is revoked. */
export async function isRevoked(revocations: DocumentStore, of: RevocationTargets, issued: number): Promise<boolean> {
  const keys = Object.entries(of).flatMap(([kind, id]) => (id === undefined ? [] : [`${kind}:${id}`]));
  const found = await Promise.all(keys.map(key => revocations.get(key)));
  // Only revoke writes it; entries without a time are from an older server.
  return found.some(one => one !== undefined && !((one as { at: number }).at < issued));
}

/** Longer than the longest lifetime of a refresh token that the settings accept, in milliseconds. */
const kept = 3_700 * 86_400_000;
