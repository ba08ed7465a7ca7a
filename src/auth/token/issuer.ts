import { FhirError, fhirError } from '../../fhir/error.ts';
import { TokenRefused } from '../claims.ts';
import type { Claims } from '../claims.ts';
import { isLoopbackHost } from '../../fetch/addresses.ts';
import { createDiscovery } from './discovery.ts';
import { readExternalClaims } from './external-claims.ts';
import { createFetch } from '../../fetch/fetch.ts';
import { createKeys } from './keys.ts';
import type { FetchLimits, IssuerSettings } from './settings.ts';

/** An issuer outside this service. */
export interface Issuer {
  readonly settings: IssuerSettings;
  /** What a JWT of this issuer says. Throws TokenRefused, and FhirError 503 where the issuer cannot be asked. */
  verify(token: string): Promise<Verified>;
  /** As verify, for an opaque token; undefined where the issuer does not know it. */
  introspect(token: string): Promise<Verified | undefined>;
}

export interface Verified {
  readonly claims: Claims;
  /** How long this may be remembered, in milliseconds since 1970 UTC. */
  readonly until: number;
}

export interface IssuerParts {
  /** The base URL of a partition. */
  readonly baseOf: (partition: string) => string;
  readonly now: () => number;
  /** In a demonstration an issuer on this machine may be asked over plain http. */
  readonly demo: boolean;
  readonly limits: FetchLimits;
  /** Tells the operator. */
  readonly notice: (text: string) => void;
}

/** How long an issuer's word for an opaque token counts, in milliseconds: by then a revocation is known here. */
const introspected = 10_000;

/** Asks nobody yet. Throws Error for plain http URLs in the settings, unless they are of this machine in a demonstration. */
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
    reach: settings.privateAddresses ? 'private' : local ? 'loopback' : 'public',
    plain: local,
    authorities: settings.authorities,
    bytes: limits.bytes,
    time: limits.time,
  });
  const discover = createDiscovery(settings, fetch, limits, now);
  const keysOf = createKeys(settings, discover, fetch, limits, now);

  let told = -Infinity;
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TokenRefused || error instanceof FhirError) throw error;
      if (now() >= told + limits.keepFailure) {
        told = now();
        notice(`The issuer ${settings.issuer} cannot be asked: ${reason(error)}.`);
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

/** Nothing is known of the token then, so that it is no 401. */
const unavailable = (): FhirError =>
  fhirError(503, 'transient', 'The issuer of the token cannot be asked now; try again.', undefined, {
    'Retry-After': '5',
  });

/** The innermost sentence: libraries put their own around it. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxError) return 'its answer is no JSON'; // the message would quote the answer
  return error.cause instanceof Error ? reason(error.cause) : error.message.replace(/\.$/, '');
}
