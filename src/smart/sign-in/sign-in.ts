import { checkPassword } from '../accounts/password.ts';
import type { RegisteredUser, Registry } from '../accounts/registered.ts';
import { TooManyAttempts } from './throttle.ts';
import type { Throttle } from './throttle.ts';

/** The sign-in failed: the name or the password is wrong, or there were too many attempts. */
export class SignInRefused extends Error {
  readonly reason: 'wrong' | 'throttled';
  /** Seconds until the next attempt; 0 for none. */
  readonly seconds: number;
  constructor(reason: 'wrong' | 'throttled', seconds = 0) {
    super(reason === 'wrong' ? 'The user name or the password is wrong' : `Try again in ${seconds} seconds`);
    this.name = 'SignInRefused';
    this.reason = reason;
    this.seconds = seconds;
  }
}

export interface SignInParts {
  readonly registry: Pick<Registry, 'user'>;
  readonly throttle: Throttle;
  /** Receives the result. */
  readonly report?: (tried: SignInTried) => void;
}

/** The result of a sign-in. */
export interface SignInTried extends Pick<Credentials, 'address' | 'requestId'> {
  /** Undefined if no user has the typed name. */
  readonly user: string | undefined;
  /** The HTTP status: 200; 401 for a wrong name or password; 429 for too many attempts. */
  readonly status: 200 | 401 | 429;
}

/** The typed credentials, and the client's address. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
  /** IP address. */
  readonly address: string;
  readonly requestId?: string;
}

/**
 * The user with this name, in any case, and this password. Throws SignInRefused; for an unknown name it takes as long
 * and throws the same.
 */
export async function signIn(
  { registry, throttle, report }: SignInParts,
  { user: typed, password, ...from }: Credentials,
): Promise<RegisteredUser> {
  const name = typed.trim().toLowerCase().slice(0, 200);
  const user = await registry.user(name);
  const reportResult = (status: SignInTried['status']): void => report?.({ ...from, user: user?.id, status });
  const attempt = await throttle.begin({ user: name, address: from.address }).catch((error: unknown) => {
    if (!(error instanceof TooManyAttempts)) throw error;
    reportResult(429);
    throw new SignInRefused('throttled', error.seconds);
  });
  if ((await checkPassword(password, user?.password)) && user !== undefined) {
    await attempt.succeeded();
    reportResult(200);
    return user;
  }
  await attempt.failed();
  reportResult(401);
  throw new SignInRefused('wrong');
}
