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
}

/** What somebody types, and where from. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
  /** IP address. */
  readonly address: string;
}

/**
 * The user who has this name, in capitals or not, and this password. Throws SignInRefused; for a name that nobody has it takes as
 * long and says the same.
 */
export async function signIn(
  { registry, throttle }: SignInParts,
  { user: typed, password, address }: Credentials,
): Promise<RegisteredUser> {
  const name = typed.trim().toLowerCase().slice(0, 200);
  const attempt = await throttle.begin({ user: name, address }).catch((error: unknown) => {
    throw error instanceof TooManyAttempts ? new SignInRefused('throttled', error.seconds) : error;
  });
  const user = await registry.user(name);
  if ((await checkPassword(password, user?.password)) && user !== undefined) {
    await attempt.succeeded();
    return user;
  }
  await attempt.failed();
  throw new SignInRefused('wrong');
}
