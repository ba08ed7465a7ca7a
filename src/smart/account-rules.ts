import { createPublicKey } from 'node:crypto';
import { isIP } from 'node:net';
import { isId } from '../fhir/id.ts';
import { isObject } from '../fhir/json-object.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Model } from '../model/model.ts';
import { parseFhirUser } from '../auth/fhir-user.ts';
import { parseScope } from '../auth/scope.ts';
import { ScopeRefused, negotiateScopes } from './negotiate.ts';
import type { RegisteredClient, RegisteredUser } from './registered.ts';
import { isScopeWord, scopeWords } from './scope-words.ts';

// What a text may be, wherever it comes from. Each throws Error with a sentence that goes on from the name of the text.

/** https://www.rfc-editor.org/rfc/rfc6749#appendix-A.1, without what has to be written otherwise in URLs and headers */
export function clientId(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/.test(text)) return text;
  throw new Error(`is \`${text}\`, but must be 1 to 100 letters, digits or the characters \`.\`, \`_\`, \`~\`, \`-\`.`);
}

/** Small letters alone: whoever types capitals means the same user. */
export function userId(text: string): string {
  if (/^[a-z0-9][a-z0-9._@+-]{0,99}$/.test(text)) return text;
  throw new Error(
    `is \`${text}\`, but must be 1 to 100 small letters, digits or the characters \`.\`, \`_\`, \`@\`, \`+\`, \`-\`.`,
  );
}

/**
 * Where a browser may be sent with a code: https, http of the same machine, or the own scheme of an app on a device, which is the
 * name of a domain backwards. https://www.rfc-editor.org/rfc/rfc8252#section-7
 */
export function redirectUri(text: string): string {
  const url = plainUrl(text);
  if (url !== undefined && (url.protocol === 'https:' || isLocalHttp(url))) return text;
  if (url !== undefined && /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)) return text;
  throw new Error(
    `is \`${text}\`, but must be an https URL, one such as \`http://localhost:3000/callback\` on the same machine, or one with the scheme of an app, such as \`com.example.app:/callback\`, without a fragment.`,
  );
}

/** An address that is opened or asked: https, or http of the same machine. */
export function webUrl(text: string): string {
  const url = plainUrl(text);
  if (url !== undefined && (url.protocol === 'https:' || isLocalHttp(url))) return text;
  throw new Error(`is \`${text}\`, but must be an https URL without a fragment; http is for the same machine alone.`);
}

/** https://www.rfc-editor.org/rfc/rfc6454#section-7 */
export function webOrigin(text: string): string {
  if (plainUrl(text)?.origin === text && webUrl(text) === text) return text;
  throw new Error(`is \`${text}\`, but must be the origin of a site, such as \`https://app.example\`.`);
}

/** The resource that stands for a user: `Type/id`. */
export function fhirUser(text: string): string {
  const parsed = parseFhirUser(text, 'http://localhost');
  if (parsed?.here === true && isId(parsed.id)) return text;
  throw new Error(`is \`${text}\`, but must be a resource of the partition, such as \`Practitioner/practitioner-1\`.`);
}

/** A scope that a client may be registered for: one that exists, or a wildcard or version 1 form of which something does. */
export function registrableScope(text: string, model: Model): string {
  if (isScopeWord(text, model)) return text;
  const scope = parseScope(text);
  if (scope === undefined)
    throw new Error(`holds \`${text}\`, which is no scope here.${didYouMean(text, scopeWords(model))}`);
  try {
    const flow = scope.context === 'system' ? 'backend' : 'app';
    negotiateScopes(text, { model, registered: [text], flow, launch: false });
    return text;
  } catch (error) {
    if (!(error instanceof ScopeRefused)) throw error;
    throw new Error(`holds \`${text}\`, of which capability files list nothing, or not all.`, { cause: error });
  }
}

/**
 * Public keys for RS384 or ES384, each with an id. Throws Error for others, and for private ones.
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

/** What contradicts itself in a client, or is not there in the store: sentences that go on from its name. */
export function clientProblems(client: RegisteredClient, partitions: readonly string[]): readonly string[] {
  const { kind, flows, redirectUris, scopes, jwks, jwksUrl, secretDigests } = client;
  const contexts = new Set<string>(scopes.map(scope => parseScope(scope)?.context ?? 'word'));
  const isApp = flows.includes('app');
  const hasKeys = jwks !== undefined || jwksUrl !== undefined;
  const problems = [
    [flows.length === 0, 'has no flow: `app` for one that acts for users, `backend` for one that acts for itself.'],
    [scopes.length === 0, 'has no scope.'],
    [client.partitions.length === 0, 'names no partition.'],
    [isApp && redirectUris.length === 0, 'acts for users, so that it needs a redirect URI.'],
    [!isApp && redirectUris.length > 0, 'acts for itself alone, so that it has no redirect URI.'],
    [
      flows.includes('backend') && kind !== 'asymmetric',
      'acts for itself, so that it must be `asymmetric`, with its public keys (`jwks` or `jwks-url`).',
    ],
    [!flows.includes('backend') && contexts.has('system'), 'has `system/` scopes, which need the flow `backend`.'],
    [
      !isApp && ['patient', 'user', 'word'].some(context => contexts.has(context)),
      'acts for itself alone, so that it has `system/` scopes and no others.',
    ],
    [kind === 'asymmetric' && !hasKeys, 'is `asymmetric`, so that it needs its public keys (`jwks` or `jwks-url`).'],
    [kind !== 'asymmetric' && hasKeys, `is \`${kind}\`, so that it has no keys.`],
    [jwks !== undefined && jwksUrl !== undefined, 'has keys and the address of keys: one of both is enough.'],
    [kind === 'symmetric' && secretDigests.length === 0, 'is `symmetric`, so that it needs a secret.'],
    [kind !== 'symmetric' && secretDigests.length > 0, `is \`${kind}\`, so that it has no secret.`],
  ] as const;
  const found: string[] = problems.flatMap(([isSo, text]) => (isSo ? [text] : []));
  return [...found, ...missing(client.partitions, partitions)];
}

/** As clientProblems, for a user. */
export function userProblems(user: RegisteredUser, partitions: readonly string[]): readonly string[] {
  const ids = user.partitions.map(({ id }) => id);
  return [...(ids.length === 0 ? ['names no partition.'] : []), ...missing(ids, partitions)];
}

const missing = (named: readonly string[], there: readonly string[]): readonly string[] =>
  named
    .filter(id => !there.includes(id))
    .map(
      id =>
        `names the partition \`${id}\`, which is not there; \`partition add ${id}\` adds it.${didYouMean(id, there)}`,
    );

/** Undefined for what is none, or has a fragment, or the name of a user; an asterisk would be taken for any text. */
function plainUrl(text: string): URL | undefined {
  if (!/^[\x21-\x7e]{1,2000}$/.test(text) || /[#*\\]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}

function isLocalHttp({ protocol, hostname }: URL): boolean {
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.')); // prettier-ignore
  return protocol === 'http:' && isLoopback;
}
