import type { JWK } from 'jose';
import type { DocumentStore } from '../../store/port/documents.ts';
import { digestOf } from '../../auth/token/digest.ts';
import type { ClientKeys } from './client-keys.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import { claimOnce } from './claim-once.ts';
import type { RegisteredClient } from '../accounts/registered.ts';

export interface AssertionParts {
  /** `store.documents(onceCollection)` */
  readonly once: DocumentStore;
  readonly keys: ClientKeys;
  /** `aud` must be the issuer or the token endpoint. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** How far ahead an assertion may expire, how late it is valid, and how far ahead a clock may be; seconds. */
const longest = 300;
const late = 5;
const ahead = 60;
/** How long a used assertion is remembered after its expiry, since clocks of processes may differ; seconds. */
const kept = 60;

const algorithms: Readonly<Record<string, string>> = { RS384: 'RSA', ES384: 'EC' };

/** The client that an assertion names, before any check. Throws OAuthError if it cannot be read. */
export function clientOf(assertion: string): string {
  const { sub } = decode(assertion, 1);
  if (typeof sub === 'string' && sub !== '') return sub;
  throw refused('The client assertion names no client (`sub`).');
}

/**
 * Throws OAuthError `invalid_client` unless the assertion is signed by the one key of the client that it names, is for
 * this token endpoint or this issuer, expires within five minutes, and was not used before in any process.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#authenticating-to-the-token-endpoint
 * and https://datatracker.ietf.org/doc/draft-ietf-oauth-rfc7523bis/, where the issuer is the audience
 */
export async function checkAssertion(
  assertion: string,
  client: RegisteredClient,
  { once, keys, issuer, tokenEndpoint, now }: AssertionParts,
): Promise<void> {
  const { alg, kid, typ, jku, crit } = decode(assertion, 0);
  const kty = typeof alg === 'string' && Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined;
  if (typeof alg !== 'string' || kty === undefined)
    throw refused('The client assertion must be signed with RS384 or ES384.');
  // SMART requires `typ`, but many general clients omit it, which RFC 7519 allows.
  if (typ !== undefined && typ !== 'JWT') throw refused('The `typ` in the header of the client assertion must be JWT.');
  if (typeof kid !== 'string') throw refused('The header of the client assertion must name its key (`kid`).');
  if (jku !== undefined && jku !== client.jwksUrl)
    throw refused('The `jku` is not the URL that the client is registered with.');
  if (crit !== undefined) throw refused('The client assertion needs extensions (`crit`) that are not supported.');

  const all = await keys(client, kid).catch(() => {
    throw refused('The keys of the client cannot be fetched from its JWKS URL.');
  });
  const [key, ...more] = all.filter(one => one.kid === kid && one.kty === kty && one.use !== 'enc');
  if (key === undefined) throw refused(`The client has no ${kty} key with the \`kid\` of the assertion.`);
  if (more.length > 0) throw refused(`The client has several ${kty} keys with the \`kid\` of the assertion.`);

  const { jti, exp, nbf, iat } = await verify(assertion, alg, key, client.id, [tokenEndpoint, issuer], now());
  const seconds = now() / 1000;
  if (typeof exp !== 'number' || !Number.isFinite(exp)) throw refused('The client assertion has no expiry (`exp`).');
  if (exp <= seconds - late) throw refused(expired);
  if (exp > seconds + longest + ahead) throw refused('The client assertion must expire within five minutes (`exp`).');
  if ([nbf, iat].some(time => typeof time === 'number' && time > seconds + ahead)) throw refused(notYet);
  if (typeof jti !== 'string' || jti === '' || jti.length > 255)
    throw refused('The client assertion needs an id of its own (`jti`).');
  const id = `assertion:${digestOf(JSON.stringify([client.id, jti]))}`;
  if (!(await claimOnce(once, id, (exp + late + kept) * 1000))) throw refused('The client assertion was used before.');
}

async function verify(assertion: string, alg: string, key: JWK, client: string, audience: string[], now: number) {
  // imported at the first use: most installations have no asymmetric clients
  const { errors, importJWK, jwtVerify } = await import('jose');
  try {
    const { d: _, ...open } = key; // its public part only
    const used = await importJWK(open, alg);
    const { payload } = await jwtVerify(assertion, used, {
      algorithms: [alg],
      issuer: client,
      subject: client,
      audience,
      clockTolerance: ahead, // for both ends; the expiry is checked by the caller
      currentDate: new Date(now),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf') throw refused(notYet);
    throw refused(error instanceof errors.JOSEError ? (reasons[error.code] ?? usual) : usual);
  }
}

const notYet = 'The client assertion is not valid yet, by the clock of this server.';
const expired = 'The client assertion has expired.';
const usual = 'The client assertion is not signed by the key that it names.';
const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: expired,
  ERR_JWT_CLAIM_VALIDATION_FAILED:
    'In the client assertion `iss` and `sub` must be the client, and `aud` the URL of the token endpoint ' +
    'or the issuer.',
};

function decode(assertion: string, part: 0 | 1): Readonly<Record<string, unknown>> {
  try {
    const parts = assertion.split('.');
    const value: unknown = JSON.parse(Buffer.from(parts[part] ?? '', 'base64url').toString());
    if (parts.length === 3 && typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // reported below
  }
  throw refused('The client assertion cannot be read as a JWT.');
}

const refused = (why: string): OAuthError => new OAuthError('invalid_client', why, 401);
