import { createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';
import { isId } from '../../fhir/reference.ts';
import { isObject } from '../../fhir/json-object.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { Model } from '../../model/model.ts';
import { parseFhirUser } from '../../auth/fhir-user.ts';
import { orderHint, parseScope } from '../../auth/scope.ts';
import { ScopeRefused, negotiateScopes } from '../scope/negotiate.ts';
import type { RegisteredClient, RegisteredUser } from './registered.ts';
import { isScopeWord, scopeWords } from '../../auth/scope-words.ts';

// Rules for the texts of accounts, from the command line and the file. Each throws Error with a sentence that continues
// after the name of the text.

/**
 * The client_id syntax of RFC 6749, without characters that need encoding in URLs and headers.
 * https://www.rfc-editor.org/rfc/rfc6749#appendix-A.1
 */
export function clientId(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/.test(text)) return text;
  throw new Error(`is \`${text}\`, but must be 1 to 100 letters, digits or the characters \`.\`, \`_\`, \`~\`, \`-\`.`);
}

/** Lower case only, so that a user who types capitals signs in too. */
export function userId(text: string): string {
  if (/^[a-z0-9][a-z0-9._@+-]{0,99}$/.test(text)) return text;
  throw new Error(
    `is \`${text}\`, but must be 1 to 100 small letters, digits or the characters \`.\`, \`_\`, \`@\`, \`+\`, \`-\`.`,
  );
}

/**
 * Redirect URIs of apps: https, http of the same machine, or a private-use scheme, which is a reversed domain name.
 * https://www.rfc-editor.org/rfc/rfc8252#section-7
 */
export function redirectUri(text: string): string {
  const url = plainUrl(text);
  if (url !== undefined && (url.protocol === 'https:' || isLocalHttp(url))) return text;
  if (url !== undefined && /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)) return text;
  throw new Error(
    `is \`${text}\`, but must be an https URL, one such as \`http://localhost:3000/callback\` on the ` +
      `same machine, or one with the scheme of an app, such as \`com.example.app:/callback\`, without a fragment.`,
  );
}

/** A URL that is opened or requested: https, or http of the same machine. */
export function webUrl(text: string): string {
  const url = plainUrl(text);
  if (url !== undefined && (url.protocol === 'https:' || isLocalHttp(url))) return text;
  throw new Error(
    `is \`${text}\`, but must be an https URL without a fragment; http is accepted for the same machine only.`,
  );
}

/** https://www.rfc-editor.org/rfc/rfc6454#section-7 */
export function webOrigin(text: string): string {
  if (plainUrl(text)?.origin === text && webUrl(text) === text) return text;
  throw new Error(`is \`${text}\`, but must be the origin of a site, such as \`https://app.example\`.`);
}

/** The resource that represents the user: `Type/id`. */
export function fhirUser(text: string): string {
  const parsed = parseFhirUser(text, 'http://localhost');
  if (parsed?.here === true && isId(parsed.id)) return text;
  throw new Error(`is \`${text}\`, but must be a resource of the partition, such as \`Type/id\`.`);
}

/** A scope that a client may be registered for: one that exists, or a wildcard or version 1 form that covers one. */
export function registrableScope(text: string, model: Model): string {
  if (isScopeWord(text, model)) return text;
  const scope = parseScope(text);
  if (scope === undefined)
    throw new Error(
      `holds \`${text}\`, which does not exist on this server.` +
        (orderHint(text) || didYouMean(text, scopeWords(model))),
    );
  try {
    const flow = scope.context === 'system' ? 'backend' : 'app';
    negotiateScopes(text, { model, registered: [text], flow, launch: false });
    return text;
  } catch (error) {
    if (!(error instanceof ScopeRefused)) throw error;
    throw new Error(`holds \`${text}\`, which the capability files do not list, or list in part.`, { cause: error });
  }
}

/**
 * Public keys for RS384 or ES384, each with a `kid`. Throws Error for other keys, and for private ones.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#registering-a-client-communicating-public-keys
 */
export function keySet(value: unknown): NonNullable<RegisteredClient['jwks']> {
  const keys = isObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isObject))
    throw new Error('must be a JSON Web Key Set: an object with a list `keys` that is not empty.');
  for (const key of keys) requireKey(key);
  return { keys };
}

function requireKey(key: Readonly<Record<string, unknown>>): void {
  const { kid, kty, crv } = key;
  if (typeof kid !== 'string' || kid === '') throw new Error('holds a key without an id (`kid`).');
  const name = `\`${kid}\``;
  if ('d' in key || 'k' in key || 'p' in key)
    throw new Error(
      `holds the private half of the key ${name}: it must not leave the client; register the public half.`,
    );
  const isFit = kty === 'RSA' || (kty === 'EC' && crv === 'P-384');
  if (!isFit) throw new Error(`holds the key ${name}, which is neither one for RS384 (RSA) nor for ES384 (EC, P-384).`);
  let bits: number | undefined;
  try {
    bits = createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength;
  } catch (cause) {
    throw new Error(`holds the key ${name}, which cannot be read.`, { cause });
  }
  if (bits !== undefined && bits < 2048) throw new Error(`holds the key ${name}, which is shorter than 2048 bits.`);
}

/**
 * The contradictions in a client and its references to partitions that do not exist: sentences that continue after its
 * name.
 */
export function clientProblems(client: RegisteredClient, partitions: readonly string[]): readonly string[] {
  const { kind, flows, redirectUris, scopes, jwks, jwksUrl, secretDigests } = client;
  const contexts = new Set<string>(scopes.map(scope => parseScope(scope)?.context ?? 'word'));
  const isApp = flows.includes('app');
  const hasKeys = jwks !== undefined || jwksUrl !== undefined;
  const problems = [
    [flows.length === 0, 'has no flow: `app` acts for users, `backend` acts without a user.'],
    [scopes.length === 0, 'has no scope.'],
    [client.partitions.length === 0, 'names no partition.'],
    [isApp && redirectUris.length === 0, 'acts for users and therefore needs a redirect URI.'],
    [!isApp && redirectUris.length > 0, 'is a backend service, which has no redirect URI.'],
    [
      flows.includes('backend') && kind !== 'asymmetric',
      'is a backend service and must be `asymmetric`, with its public keys (`jwks` or `jwks-url`).',
    ],
    [!flows.includes('backend') && contexts.has('system'), 'has `system/` scopes, which need the flow `backend`.'],
    [
      !isApp && ['patient', 'user', 'word'].some(context => contexts.has(context)),
      'is a backend service, which may have `system/` scopes only.',
    ],
    [kind === 'asymmetric' && !hasKeys, 'is `asymmetric` and needs its public keys (`jwks` or `jwks-url`).'],
    [kind !== 'asymmetric' && hasKeys, `is \`${kind}\`, which has no keys.`],
    [jwks !== undefined && jwksUrl !== undefined, 'has both `jwks` and `jwks-url`: use one of them.'],
    [kind === 'symmetric' && secretDigests.length === 0, 'is `symmetric` and needs a secret.'],
    [kind !== 'symmetric' && secretDigests.length > 0, `is \`${kind}\`, which has no secret.`],
  ] as const;
  const found: string[] = problems.flatMap(([isSo, text]) => (isSo ? [text] : []));
  return [...found, ...missing(client.partitions, partitions)];
}

/** Like clientProblems, for a user. */
export function userProblems(user: RegisteredUser, partitions: readonly string[]): readonly string[] {
  const ids = user.partitions.map(({ id }) => id);
  return [...(ids.length === 0 ? ['names no partition.'] : []), ...missing(ids, partitions)];
}

const missing = (named: readonly string[], there: readonly string[]): readonly string[] =>
  named
    .filter(id => !there.includes(id))
    .map(
      id =>
        `names the partition \`${id}\`, which does not exist; \`partition add ${id}\` adds it.${didYouMean(id, there)}`,
    );

/**
 * Undefined for a text that is not a URL, or has a fragment, a user name or an asterisk (a wildcard for some parsers).
 */
function plainUrl(text: string): URL | undefined {
  if (!/^[\x21-\x7e]{1,2000}$/.test(text) || /[#*\\]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}

function isLocalHttp({ protocol, hostname }: URL): boolean {
  const isIPv4Loopback = isIP(hostname) === 4 && hostname.startsWith('127.');
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || isIPv4Loopback;
  return protocol === 'http:' && isLoopback;
}
