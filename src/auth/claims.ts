/** What a verified token says, whoever issued it. */
export interface Claims {
  /** Who issued it: our own issuer, or an external one. */
  readonly issuer: string;
  readonly client: string;
  /** Of the user; undefined for a token of a system. */
  readonly subject: string | undefined;
  /** As granted, space-separated. */
  readonly scope: string;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** Reference to the user's own resource, relative or absolute. */
  readonly fhirUser: string | undefined;
  /** The one partition that the token is good for. */
  readonly partition: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/**
 * The token is not good here: told to clients as 401 `invalid_token`. The message is a sentence for `error_description`, which
 * neither quotes the token nor tells what would help to make one.
 */
export class TokenRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TokenRefused';
  }
}

/**
 * The claims of a token (as sent) for a partition (its id). Throws TokenRefused for what is no good token there. While a
 * verifier remembers a token it gives the same object, since what follows from claims is kept with them.
 */
export interface TokenVerifier {
  (token: string, partition: string): Promise<Claims>;
  /**
   * The claims of a token that is remembered as good for the partition, at once, by its digest (token/digest.ts); undefined for
   * any other, which is to be asked for.
   */
  readonly known?: (digest: string, partition: string) => Claims | undefined;
}
