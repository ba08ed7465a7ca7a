import { checkPassword } from './password.ts';
import type { RegisteredUser, Registry } from './registered.ts';
import { TooManyAttempts } from './throttle.ts';
import type { Throttle } from './throttle.ts';

/** Nobody is signed in: the name or the password is wrong, or it was tried too often. */
export class SignInRefused extends Error {
  readonly reason: 'wrong' | 'throttled';
  /** How long to wait; 0 where one may try again at once. */
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
  /** Is told what became of it. */
  readonly tell?: (tried: SignInTried) => void;
}

/** What became of a sign-in. */
export interface SignInTried extends Pick<Credentials, 'address' | 'requestId'> {
  /** Undefined where nobody has the name that was typed. */
  readonly user: string | undefined;
  /** As of an answer: 200; 401 where name or password is wrong, 429 where it was tried too often. */
  readonly status: 200 | 401 | 429;
}

/** What somebody types, and where from. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
  /** IP address. */
  readonly address: string;
  readonly requestId?: string;
}

/**
 * The user who has this name, in capitals or not, and this password. Throws SignInRefused; for a name that nobody has it takes as
 * long and says the same.
 */
export async function signIn(
  { registry, throttle, tell }: SignInParts,
  { user: typed, password, ...from }: Credentials,
): Promise<RegisteredUser> {
  const name = typed.trim().toLowerCase().slice(0, 200);
  const user = await registry.user(name);
  const told = (status: SignInTried['status']): void => tell?.({ ...from, user: user?.id, status });
  const attempt = await throttle.begin({ user: name, address: from.address }).catch((error: unknown) => {
    if (!(error instanceof TooManyAttempts)) throw error;
    told(429);
    throw new SignInRefused('throttled', error.seconds);
  });
  if ((await checkPassword(password, user?.password)) && user !== undefined) {
    await attempt.succeeded();
    told(200);
    return user;
  }
  await attempt.failed();
  told(401);
  throw new SignInRefused('wrong');
}
