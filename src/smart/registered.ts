/** How a client shows who it is: not at all, by a secret, or by signing with a key of its own. */
export type ClientKind = 'public' | 'symmetric' | 'asymmetric';

/** An app or a backend system that may ask for tokens. */
export interface RegisteredClient {
  readonly id: string;
  /** As people are shown it. */
  readonly name: string;
  readonly kind: ClientKind;
  /** `app`: acts for a user who signs in; `backend`: acts for itself. */
  readonly flows: readonly ('app' | 'backend')[];
  /** Compared character by character. */
  readonly redirectUris: readonly string[];
  /** Where an EHR launch begins. */
  readonly launchUrls: readonly string[];
  /** Web origins beside those of its redirect URIs from which its pages ask. */
  readonly origins: readonly string[];
  /** What it may ask for at most; wildcards and version 1 forms cover what they stand for. */
  readonly scopes: readonly string[];
  /** Ids of the partitions that it may be used for. */
  readonly partitions: readonly string[];
  /** Of its secrets, as `digestOf` gives them: two while one is replaced by the next. */
  readonly secretDigests: readonly string[];
  /** Its public keys, as a JSON Web Key Set. https://www.rfc-editor.org/rfc/rfc7517#section-5 */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | undefined;
  /** Where its public keys are. */
  readonly jwksUrl: string | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly registered: number;
}

/** Somebody who signs in. */
export interface RegisteredUser {
  /** As it is typed to sign in. */
  readonly id: string;
  /** As people are shown it. */
  readonly name: string;
  /** As `hashPassword` gives it. */
  readonly password: string;
  /** Where the user may sign in, with the resource that stands for the user there: `Type/id`. */
  readonly partitions: readonly { readonly id: string; readonly fhirUser: string | undefined }[];
  /** Milliseconds since 1970 UTC. */
  readonly registered: number;
}

/** Clients and users, from the store and from a file. What it gives is at most 10 s old. */
export interface Registry {
  client(id: string): Promise<RegisteredClient | undefined>;
  user(id: string): Promise<RegisteredUser | undefined>;
  clients(): Promise<readonly RegisteredClient[]>;
  users(): Promise<readonly RegisteredUser[]>;
  /** Of all clients: those of redirect URIs and those that are named. */
  origins(): Promise<ReadonlySet<string>>;
}

/** What an EHR says when it starts an app: kept under the digest of the launch value until it is used. */
export interface Launch {
  readonly client: string;
  readonly user: string;
  readonly partition: string;
  /** Id of the patient in context. */
  readonly patient: string | undefined;
  /** Id of the encounter in context. */
  readonly encounter: string | undefined;
  readonly intent: string | undefined;
  /** Whether the app is to show whose record it is. */
  readonly needPatientBanner: boolean;
}
