import { usualClaims, usualLimits } from '../../../../src/auth/token/settings.ts';
import type { FetchLimits, IssuerSettings } from '../../../../src/auth/token/settings.ts';
import { createTokenVerifier } from '../../../../src/auth/token/verifier.ts';
import type { TokenVerifier } from '../../../../src/auth/claims.ts';
import type { DocumentStore } from '../../../../src/store/port/documents.ts';
import type { TestIssuer } from './issuer.ts';

export const publicUrl = 'https://ehr.example';
export const baseOf = (partition: string): string => `${publicUrl}/r4/${partition}`;

/** The settings of an issuer that serves the partition `clinic`, as the settings file would have them. */
export function settingsOf(issuer: TestIssuer, more: Partial<IssuerSettings> = {}): IssuerSettings {
  return {
    issuer: issuer.url,
    partitions: ['clinic'],
    audiences: undefined,
    types: ['at+jwt'],
    claims: usualClaims,
    scopeNames: new Map(),
    keysUrl: undefined,
    clockSkew: 30_000,
    introspection: undefined,
    privateAddresses: true,
    authorities: issuer.certificate,
    ...more,
  };
}

export interface Verifying {
  readonly verify: TokenVerifier;
  /** The logged lines. */
  readonly notices: string[];
  /** The clock, which tests move. */
  readonly clock: { now: number };
}

/** A verifier with these issuers; `tokens` keeps nothing unless it is given. */
export function verifying(
  issuers: readonly IssuerSettings[],
  more: { limits?: Partial<FetchLimits>; tokens?: DocumentStore; revocations?: DocumentStore; demo?: boolean } = {},
): Verifying {
  const notices: string[] = [];
  const clock = { now: Date.now() };
  const verify = createTokenVerifier({
    tokens: more.tokens ?? nothing,
    revocations: more.revocations ?? nothing,
    issuers,
    publicUrl,
    now: () => clock.now,
    demo: more.demo ?? false,
    notice: text => notices.push(text),
    limits: { ...usualLimits, ...more.limits },
  });
  return { verify, notices, clock };
}

/** A place where no token is kept. */
const nothing: DocumentStore = {
  get: () => Promise.resolve(undefined),
  put: (_, value) => Promise.resolve(value),
  delete: () => Promise.resolve(),
  async *list() {},
};
