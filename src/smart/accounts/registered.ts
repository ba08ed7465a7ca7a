/** How a client authenticates: not at all, by a secret, or by signing with its own key. */
export type ClientKind = 'public' | 'symmetric' | 'asymmetric';

/** An app or a backend system that may request tokens. */
export interface RegisteredClient {
  readonly id: string;
  /** The name that users see. */
  readonly name: string;
  readonly kind: ClientKind;
  /** `app`: acts for a user who signs in; `backend`: acts without a user. */
  readonly flows: readonly ('app' | 'backend')[];
  /** Compared character by character. */
  readonly redirectUris: readonly string[];
  /** Where an EHR launch begins. */
  readonly launchUrls: readonly string[];
  /** Web origins of its pages, in addition to those of its redirect URIs. */
  readonly origins: readonly string[];
  /** The scopes that it may request; wildcards and version 1 forms mean the scopes that they cover. */
  readonly scopes: readonly string[];
  /** Ids of the partitions that it may be used for. */
  readonly partitions: readonly string[];
  /** Digests of its secrets, by `digestOf`: two during a rotation. */
  readonly secretDigests: readonly string[];
  /** False if authorization responses have no `iss`; undefined is true. https://www.rfc-editor.org/rfc/rfc9207 */
  readonly responseIss?: boolean | undefined;
  /** Its public keys, as a JSON Web Key Set. https://www.rfc-editor.org/rfc/rfc7517#section-5 */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | undefined;
  /** The URL of its public keys. */
  readonly jwksUrl: string | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly registered: number;
}

/** A user who signs in. */
export interface RegisteredUser {
  /** The name that is typed to sign in. */
  readonly id: string;
  /** The name that users see. */
  readonly name: string;
  /** The result of `hashPassword`. */
  readonly password: string;
  /** The partitions in which the user may sign in, with the resource that represents the user there: `Type/id`. */
  readonly partitions: readonly { readonly id: string; readonly fhirUser: string | undefined }[];
  /** Milliseconds since 1970 UTC. */
  readonly registered: number;
}

/** Clients and users, from the store and from a file. Results are at most 10 s old. */
export interface Registry {
  client(id: string): Promise<RegisteredClient | undefined>;
  user(id: string): Promise<RegisteredUser | undefined>;
  clients(): Promise<readonly RegisteredClient[]>;
  users(): Promise<readonly RegisteredUser[]>;
  /** Origins of all clients: those of redirect URIs and those that are registered. */
  origins(): Promise<ReadonlySet<string>>;
  /** Whether the authorization responses of all clients have `iss`. */
  sendsIss(): Promise<boolean>;
}

/** The launch by an EHR, stored under the digest of the launch token until it is used. */
export interface Launch {
  readonly client: string;
  readonly user: string;
  readonly partition: string;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** Id of the encounter in context. */
  readonly encounter: string | undefined;
  readonly intent: string | undefined;
  /** Whether the app should show whose record it is. */
  readonly needPatientBanner: boolean;
}
