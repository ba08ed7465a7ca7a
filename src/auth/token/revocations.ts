import type { DocumentStore } from '../../store/documents.ts';

/** Whose tokens end: of one consent, of a client, of a user, of a sign-in, of a partition. */
export type Revoked = 'grant' | 'client' | 'user' | 'session' | 'partition';

/** Where it is kept: `store.documents(revocationCollection)`. */
export const revocationCollection = 'revocations';

/** What a token, code or session stands on: what is undefined or left out it does not stand on. */
export type StandsOn = Readonly<Partial<Record<Revoked, string | undefined>>>;

/**
 * Ends everything that was issued up to now (milliseconds since 1970 UTC) for one of these: access tokens within ten seconds in
 * every process, refresh tokens, codes and sessions at once.
 */
export const revoke = (revocations: DocumentStore, kind: Revoked, id: string, now: number): Promise<void> =>
  revocations.put(`${kind}:${id}`, { at: now }, now + kept);

/** True where what was issued at that time (milliseconds since 1970 UTC) has been ended since. */
export async function isRevoked(revocations: DocumentStore, of: StandsOn, issued: number): Promise<boolean> {
  const keys = Object.entries(of).flatMap(([kind, id]) => (id === undefined ? [] : [`${kind}:${id}`]));
  const found = await Promise.all(keys.map(key => revocations.get(key)));
  // Only revoke writes it; what does not say when it was issued was so by an older server.
  return found.some(one => one !== undefined && !((one as { at: number }).at < issued));
}

/** Longer than the longest life that a setting can give a refresh token, in milliseconds. */
const kept = 3_700 * 86_400_000;
