import { randomBytes } from 'node:crypto';
import { digestOf } from '../../auth/token/digest.ts';
import type { Store } from '../../store/port/store.ts';
import { seal, unseal } from '../../smart/token/seal.ts';
import type { Sealed } from '../../smart/token/seal.ts';

/** A visitor with a token, in one browser. */
export interface ExplorerSession {
  /** The access token, for one partition. */
  readonly token: string;
  /** Id of the partition. */
  readonly partition: string;
  /** The name of the user, or of the client of a token without a user. */
  readonly name: string;
  /** Whether the token was issued to the explorer, which then revokes it at the end. */
  readonly own: boolean;
}

export interface ExplorerSessions {
  /** Begins a session that ends at a time in milliseconds since 1970 UTC; returns its secret for a cookie. */
  begin(session: ExplorerSession, expires: number): Promise<string>;
  /** The session; undefined if it does not exist or has ended. Resets the idle timeout. */
  find(secret: string): Promise<ExplorerSession | undefined>;
  end(secret: string): Promise<void>;
}

/** A session in the store. */
interface StoredSession {
  readonly sealed: Sealed;
  readonly used: number;
  readonly expires: number;
}

const purpose = 'explorer session';

/**
 * Sessions in the store, for all processes: under the digest of their secret, encrypted with it, so that the store has
 * no token. `idle` is the idle timeout in milliseconds; `now` returns milliseconds since 1970 UTC.
 */
export function createExplorerSessions(
  store: Pick<Store, 'documents'>,
  idle: number,
  now: () => number,
): ExplorerSessions {
  const sessions = store.documents('explorer-sessions');
  const put = (id: string, session: StoredSession): Promise<unknown> =>
    sessions.put(id, session, { expires: session.expires });
  return {
    async begin(session, expires) {
      const secret = randomBytes(32).toString('base64url');
      await put(digestOf(secret), { sealed: seal(JSON.stringify(session), secret, purpose), used: now(), expires });
      return secret;
    },
    async find(secret) {
      const id = digestOf(secret);
      const stored = (await sessions.get(id)) as StoredSession | undefined; // only this module writes it
      if (stored === undefined || stored.expires <= now() || stored.used + idle <= now()) return undefined;
      // a write per request would cost too much
      if (now() - stored.used > idle / 20) await put(id, { ...stored, used: now() });
      const text = unseal(stored.sealed, secret, purpose);
      return text === undefined ? undefined : (JSON.parse(text) as ExplorerSession); // as above
    },
    async end(secret) {
      await sessions.delete(digestOf(secret));
    },
  };
}
