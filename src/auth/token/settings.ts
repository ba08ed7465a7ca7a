/** An external issuer of access tokens, as the settings file describes it (config/issuers.ts). */
export interface IssuerSettings {
  /** Exactly the `iss` of its tokens. */
  readonly issuer: string;
  /** The partitions that its tokens may be for; at least one. */
  readonly partitions: readonly string[];
  /** Any of these must be in `aud`; undefined: the base URL of the partition. */
  readonly audiences: readonly string[] | undefined;
  /** Accepted `typ` of the header, in lower case without `application/`; `none` if it may be absent. */
  readonly types: readonly string[];
  readonly claims: ClaimNames;
  /** Scopes by the issuer's name for them, if it cannot use the original: `user.Patient.rs` → `user/Patient.rs`. */
  readonly scopeNames: ReadonlyMap<string, string>;
  /** The URL of its keys; undefined: the one of its discovery document. */
  readonly keysUrl: string | undefined;
  /** Accepted clock skew in milliseconds. */
  readonly clockSkew: number;
  /** The credentials for its introspection endpoint; undefined: the issuer's opaque tokens are rejected. */
  readonly introspection: { readonly client: string; readonly secret: string } | undefined;
  /** Whether it may have private addresses. */
  readonly privateAddresses: boolean;
  /** Certificates (PEM) of the authorities that verify its own, instead of the default ones. */
  readonly authorities: string | undefined;
}

/** The names of an issuer's claims; of several names the first that is present counts, for scopes all of them. */
export interface ClaimNames {
  readonly client: readonly string[];
  readonly subject: readonly string[];
  readonly scope: readonly string[];
  readonly patient: readonly string[];
  readonly fhirUser: readonly string[];
  /** Undefined: the partition follows from `aud`, or the issuer serves one only. */
  readonly partition: string | undefined;
}

/** The default names of claims: those of RFC 9068 and SMART, and those in common use. */
export const usualClaims: ClaimNames = {
  client: ['client_id', 'azp', 'cid', 'appid'],
  subject: ['sub'],
  scope: ['scope', 'scp'],
  patient: ['patient'],
  fhirUser: ['fhirUser'],
  partition: undefined,
};

/** Limits for fetching the documents of an issuer. Bytes and milliseconds. */
export interface FetchLimits {
  readonly bytes: number;
  readonly time: number;
  /** An unknown key causes a refetch of the keys, at most once in this time. */
  readonly betweenKeys: number;
  readonly keepKeys: number;
  readonly keepDiscovery: number;
  /** How long a failure is cached. */
  readonly keepFailure: number;
  /** Maximum number of concurrent introspections at one issuer. */
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
