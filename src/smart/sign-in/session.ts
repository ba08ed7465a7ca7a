import { randomBytes } from 'node:crypto';
import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { isRevoked, revocationCollection, revoke } from '../../auth/token/revocations.ts';

/** The cookie of a browser with the secret of its session. */
export const sessionCookie = 'session';

/** The session of a user in one browser. */
export interface Session {
  /** Identifies the session where its secret must not be: in grants, codes and the audit. */
  readonly id: string;
  /** Id of the user. */
  readonly user: string;
  /** Milliseconds since 1970 UTC. */
  readonly began: number;
}

export interface Sessions {
  /**
   * Begins a session and returns its new secret for the cookie of the browser; the store has its digest. `since` is the
   * time of the password check, in milliseconds since 1970 UTC: if the password was changed since, the session ends at
   * once.
   */
  begin(user: { readonly id: string }, since?: number): Promise<string>;
  /** The session; undefined if it does not exist or has ended. Resets the idle timeout. */
  find(secret: string): Promise<Session | undefined>;
  /**
   * Whether a session, by its id, has not ended, without resetting the idle timeout. Online access of apps continues
   * during the idle timeout, until the session is ended or expires.
   */
  isAlive(id: string): Promise<boolean>;
  /** Ends a session, also one that has timed out, with the tokens that depend on it. */
  end(secret: string): Promise<void>;
  /** Ends all sessions of a user, with all tokens for the user. */
  endAll(user: string): Promise<void>;
}

/** Milliseconds. */
export interface SessionTimes {
  /** Idle timeout. */
  readonly idle: number;
  /** Maximum lifetime. */
  readonly lifetime: number;
}

interface StoredSession {
  readonly user: string;
  readonly began: number;
  readonly used: number;
}

/**
 * Sessions in the store, by the digest of a secret, for all processes. `now` in milliseconds since 1970 UTC.
 * https://pages.nist.gov/800-63-4/sp800-63b.html#sessionreqs
 */
export function createSessions(
  store: Pick<Store, 'documents'>,
  { idle, lifetime }: SessionTimes,
  now: () => number,
): Sessions {
  const sessions = store.documents('sessions');
  const revocations = store.documents(revocationCollection);

  const keep = (id: string, kept: StoredSession): Promise<unknown> =>
    sessions.put(id, kept, { expires: kept.began + lifetime });

  const read = async (id: string): Promise<StoredSession | undefined> => {
    const kept = (await sessions.get(id)) as StoredSession | undefined; // only this module writes it
    if (kept === undefined || kept.began + lifetime <= now()) return undefined;
    return (await isRevoked(revocations, { session: id, user: kept.user }, kept.began)) ? undefined : kept;
  };
  return {
    async begin({ id: user }, since = now()) {
      const secret = randomBytes(32).toString('base64url');
      await keep(digestOf(secret), { user, began: since, used: now() });
      return secret;
    },
    async find(secret) {
      const id = digestOf(secret);
      const kept = await read(id);
      if (kept === undefined || kept.used + idle <= now()) return undefined;
      // a write per request would cost too much
      if (now() - kept.used > idle / 20) await keep(id, { ...kept, used: now() });
      return { id, user: kept.user, began: kept.began };
    },
    isAlive: async id => (await read(id)) !== undefined,
    async end(secret) {
      const id = digestOf(secret);
      if ((await sessions.get(id)) === undefined) return; // anyone can invent a cookie
      await revoke(revocations, 'session', id, now()); // also if another process is about to write it again
      await sessions.delete(id);
    },
    endAll: user => revoke(revocations, 'user', user, now()),
  };
}
