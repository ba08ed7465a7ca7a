/** The claims of a verified token of any issuer. */
export interface Claims {
  /** The issuer: this service, or an external one. */
  readonly issuer: string;
  readonly client: string;
  /** The user; undefined for a token of a system. */
  readonly subject: string | undefined;
  /** The granted scopes, space-separated. */
  readonly scope: string;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** Reference to the user's own resource, relative or absolute. */
  readonly fhirUser: string | undefined;
  /** The one partition that the token is valid for. */
  readonly partition: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/**
 * The token is not valid here: reported to clients as 401 `invalid_token`. The message is a sentence for
 * `error_description`, which neither quotes the token nor helps to forge one.
 */
export class TokenRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TokenRefused';
  }
}

/**
 * Returns the claims of a token (as sent) for a partition (its id): synchronously if the token is cached, else as a
 * promise, which rejects with TokenRefused for a token that is not valid there. While a verifier caches a token it
 * returns the same object, since the access context made from claims is cached with them.
 */
export type TokenVerifier = (token: string, partition: string) => Claims | Promise<Claims>;
