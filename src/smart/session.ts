import { randomBytes } from 'node:crypto';
import type { Store } from '../store/store.ts';
import { digestOf } from '../auth/token/digest.ts';
import { isRevoked, revocationCollection, revoke } from '../auth/token/revocations.ts';

/** Somebody is signed in, in one browser. */
export interface Session {
  /** By which it is known where the secret must not be: in grants, codes and the audit. */
  readonly id: string;
  /** Id of the user. */
  readonly user: string;
  /** Milliseconds since 1970 UTC. */
  readonly began: number;
}

export interface Sessions {
  /**
   * Begins a session, with a secret that nobody knew before: for the cookie of the browser, and kept nowhere. `since` is when the
   * password was asked for, in milliseconds since 1970 UTC: where it was changed meanwhile, the session is over at once.
   */
  begin(user: { readonly id: string }, since?: number): Promise<string>;
  /** Undefined where there is none, or it is over; asking for it is using it. */
  find(secret: string): Promise<Session | undefined>;
  /**
   * By its id, without using it: whether what stands on it still does, such as the online access of an app. That goes on while the
   * session is unused, until it is ended or has lasted its full time.
   */
  isAlive(id: string): Promise<boolean>;
  /** Ends it, also one that was unused for too long, with the tokens that stand on it. */
  end(secret: string): Promise<void>;
  /** Ends all sessions of a user, with all tokens for the user. */
  endAll(user: string): Promise<void>;
}

/** Milliseconds. */
export interface SessionTimes {
  /** How long it lasts unused. */
  readonly idle: number;
  /** How long it lasts at most. */
  readonly lifetime: number;
}

interface Kept {
  readonly user: string;
  readonly began: number;
  readonly used: number;
}

/**
 * Who is signed in, kept in the store by the digest of a secret, for all processes. `now` in milliseconds since 1970 UTC.
 * https://pages.nist.gov/800-63-4/sp800-63b.html#sessionreqs
 */
export function createSessions(
  store: Pick<Store, 'documents'>,
  { idle, lifetime }: SessionTimes,
  now: () => number,
): Sessions {
  const sessions = store.documents('sessions');
  const revocations = store.documents(revocationCollection);

  const keep = (id: string, kept: Kept): Promise<void> => sessions.put(id, kept, kept.began + lifetime);

  const read = async (id: string): Promise<Kept | undefined> => {
    const kept = (await sessions.get(id)) as Kept | undefined; // written here alone
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
      if (now() - kept.used > idle / 20) await keep(id, { ...kept, used: now() }); // not with every request
      return { id, user: kept.user, began: kept.began };
    },
    isAlive: async id => (await read(id)) !== undefined,
    async end(secret) {
      const id = digestOf(secret);
      if ((await sessions.get(id)) === undefined) return; // anybody can make up a cookie
      await revoke(revocations, 'session', id, now()); // also where another process is about to keep it again
      await sessions.delete(id);
    },
    endAll: user => revoke(revocations, 'user', user, now()),
  };
}
