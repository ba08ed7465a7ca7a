/** An issuer of access tokens outside this service, as the settings file describes it (config/issuers.ts). */
export interface IssuerSettings {
  /** Exactly as the `iss` of its tokens says. */
  readonly issuer: string;
  /** The partitions that its tokens may be for; at least one. */
  readonly partitions: readonly string[];
  /** Any of these must be in `aud`; undefined: the base URL of the partition. */
  readonly audiences: readonly string[] | undefined;
  /** Accepted `typ` of the header, in lower case without `application/`; `none` where it may be left out. */
  readonly types: readonly string[];
  readonly claims: ClaimNames;
  /** What the issuer calls a scope → the scope, where it cannot spell it: `user.Patient.rs` → `user/Patient.rs`. */
  readonly scopeNames: ReadonlyMap<string, string>;
  /** Where its keys are; undefined: where its discovery document says. */
  readonly keysUrl: string | undefined;
  /** By how much its clock may differ from ours, in milliseconds. */
  readonly clockSkew: number;
  /** How this service asks what an opaque token is worth; undefined: the issuer's opaque tokens are refused. */
  readonly introspection: { readonly client: string; readonly secret: string } | undefined;
  /** Whether it may be reached at addresses that are not public. */
  readonly privateAddresses: boolean;
  /** Certificates (PEM) that its own is to be checked by, in place of the usual ones. */
  readonly authorities: string | undefined;
}

/** The claims in which an issuer says it; of several names the first that is there counts, for scopes all of them. */
export interface ClaimNames {
  readonly client: readonly string[];
  readonly subject: readonly string[];
  readonly scope: readonly string[];
  readonly patient: readonly string[];
  readonly fhirUser: readonly string[];
  /** Undefined: the partition follows from `aud`, or the issuer serves one alone. */
  readonly partition: string | undefined;
}

/** What the claims are called where the settings do not say: the names of RFC 9068 and SMART, and those in common use. */
export const usualClaims: ClaimNames = {
  client: ['client_id', 'azp', 'cid', 'appid'],
  subject: ['sub'],
  scope: ['scope', 'scp'],
  patient: ['patient'],
  fhirUser: ['fhirUser'],
  partition: undefined,
};

/** How much, how long and how often the documents of an issuer are fetched. Bytes and milliseconds. */
export interface FetchLimits {
  readonly bytes: number;
  readonly time: number;
  /** A key that is not known makes the keys be fetched again, but not sooner after the time before. */
  readonly betweenKeys: number;
  readonly keepKeys: number;
  readonly keepDiscovery: number;
  /** How long a failure stands before it is tried again. */
  readonly keepFailure: number;
  /** Most tokens that one issuer is asked about at a time. */
  readonly introspections: number;
}

export const usualLimits: FetchLimits = {
  bytes: 64 * 1024,
  time: 5_000,
  betweenKeys: 30_000,
  keepKeys: 600_000,
  keepDiscovery: 3_600_000,
  keepFailure: 5_000,
  introspections: 16,
};
