import type { Configuration } from 'openid-client';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { TokenRefused } from '../claims.ts';
import type { Claims } from '../claims.ts';
import { isLoopbackHost } from '../../fetch/addresses.ts';
import { createFetch } from '../../fetch/fetch.ts';
import type { Fetch } from '../../fetch/fetch.ts';
import { readExternalClaims } from './external-claims.ts';
import { createKeys } from './jwt.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';
import { remember } from './remember.ts';

/** An issuer outside this service. */
export interface Issuer {
  readonly settings: IssuerSettings;
  /** The claims of a JWT of this issuer. Throws TokenRefused, and FhirError 503 if the issuer is unavailable. */
  verify(token: string): Promise<Verified>;
  /** Like verify, for an opaque token; undefined if the issuer does not know it. */
  introspect(token: string): Promise<Verified | undefined>;
}

export interface Verified {
  readonly claims: Claims;
  /** How long the result may be cached, in milliseconds since 1970 UTC. */
  readonly until: number;
}

export interface IssuerParts {
  /** The base URL of a partition. */
  readonly baseOf: (partition: string) => string;
  readonly now: () => number;
  /** In a demonstration an issuer on this machine may use plain http. */
  readonly demo: boolean;
  readonly limits: FetchLimits;
  /** Reports to the operator. */
  readonly notice: (text: string) => void;
}

/**
 * How long the introspection of an opaque token is cached, in milliseconds: a revocation takes effect within this time.
 */
const introspected = 10_000;

/**
 * Creates an issuer without any request. Throws Error for plain http URLs in the settings, except for loopback in a
 * demonstration.
 */
export function createIssuer(settings: IssuerSettings, parts: IssuerParts): Issuer {
  const { baseOf, now, demo, limits, notice } = parts;
  const local = demo && isLoopbackHost(new URL(settings.issuer).hostname);
  for (const [what, url = settings.issuer] of [['issuer'], ['keys', settings.keysUrl]] as const) {
    const { hostname, protocol } = new URL(url);
    if (protocol === 'https:' || (local && isLoopbackHost(hostname))) continue;
    throw new Error(
      `The ${what} \`${url}\` must have an https URL; http is for issuers on loopback in a demonstration.`,
    );
  }
  const fetch = createFetch({
    addresses: settings.privateAddresses ? 'private' : local ? 'loopback' : 'public',
    plain: local,
    authorities: settings.authorities,
    bytes: limits.bytes,
    time: limits.time,
  });
  const discover = createDiscovery(settings, fetch, limits, now);
  const keysOf = createKeys(settings, discover, fetch, limits, now);

  let lastReported = -Infinity;
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TokenRefused || error instanceof FhirError) throw error;
      if (now() >= lastReported + limits.keepFailure) {
        lastReported = now();
        notice(`The issuer ${settings.issuer} is not available: ${reason(error)}.`);
      }
      throw unavailable();
    }
  };

  let asking = 0;
  return {
    settings,
    verify: token =>
      ask(async () => {
        const { verifyJwt } = await import('./jwt.ts');
        const payload = await verifyJwt(token, settings, await keysOf(), now());
        const until = payload.exp * 1000 + settings.clockSkew;
        return { claims: readExternalClaims(payload, settings, baseOf, until), until };
      }),
    introspect: token =>
      ask(async () => {
        const { introspect } = await import('./introspection.ts');
        if (asking >= limits.introspections) throw unavailable();
        asking++;
        try {
          const payload = await introspect(token, settings, await discover(), now());
          if (payload === undefined) return undefined;
          const soon = now() + introspected;
          const expires = payload.exp === undefined ? soon : payload.exp * 1000 + settings.clockSkew;
          const claims = readExternalClaims(payload, settings, baseOf, expires);
          return { claims, until: Math.min(soon, expires) };
        } finally {
          asking--;
        }
      }),
  };
}

/** The token could not be checked, so the answer is not a 401. */
const unavailable = (): FhirError =>
  fhirError(503, 'transient', 'The issuer of the token is not available. Retry later.', undefined, {
    'Retry-After': '5',
  });

/** The innermost message: libraries wrap it. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxError) return 'its answer is not JSON'; // its message would quote the answer
  return error.cause instanceof Error ? reason(error.cause) : error.message.replace(/\.$/, '');
}

/**
 * The discovery document of an issuer, fetched at the first use and refreshed periodically. The promise rejects if it
 * cannot be fetched or belongs to another issuer. https://openid.net/specs/openid-connect-discovery-1_0.html
 */
function createDiscovery(
  { issuer, introspection }: IssuerSettings,
  fetch: Fetch,
  { time, keepDiscovery, keepFailure }: FetchLimits,
  now: () => number,
): () => Promise<Configuration> {
  const discover = async (): Promise<Configuration> => {
    // Imported at the first use: most installations have no external issuer.
    const { ClientSecretBasic, None, allowInsecureRequests, customFetch, discovery } = await import('openid-client');
    const { client, secret } = introspection ?? { client: 'none', secret: undefined };
    const configuration = await discovery(
      new URL(issuer),
      client,
      undefined,
      secret === undefined ? None() : ClientSecretBasic(secret),
      {
        [customFetch]: fetch,
        timeout: time / 1000,
        // http is possible only where fetch allows it
        execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      },
    );
    const says = configuration.serverMetadata().issuer;
    if (says === issuer) return configuration;
    throw new Error(`its discovery document has the issuer \`${says}\`: set \`issuer\` to it`);
  };
  return remember(discover, { keep: keepDiscovery, keepFailure }, now);
}
