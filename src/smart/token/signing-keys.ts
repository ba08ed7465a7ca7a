import { createHash, generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { DocumentStore } from '../../store/port/documents.ts';
import type { Store } from '../../store/port/store.ts';
import { seal, unseal } from './seal.ts';
import type { Sealed } from './seal.ts';

/** A key, as JSON. https://www.rfc-editor.org/rfc/rfc7517#section-4 */
export type Jwk = Readonly<Record<string, unknown>>;

/** The keys that sign ID tokens. */
export interface SigningKeys {
  /** With their private halves; the first one signs. */
  readonly jwks: { readonly keys: readonly Jwk[] };
  /** The published keys: also keys that will sign soon, and keys that signed unexpired tokens. */
  readonly publicJwks: { readonly keys: readonly Jwk[] };
  /** The current keys; the same object if nothing has changed. */
  refresh(): Promise<SigningKeys>;
}

/** How long a new key is published before it signs, in milliseconds, so that every process and most clients have it. */
export const publishedBefore = 60_000;

/** How long a former key stays published, in milliseconds: longer than any ID token is valid. */
export const publishedAfter = 86_400_000 + 600_000;

/** A key as the store has it, under its number. */
interface KeptKey {
  readonly kid: string;
  readonly made: number;
  /** It signs from this time on. */
  readonly from: number;
  /** It is published until this time; undefined for the newest. */
  readonly until?: number;
  readonly publicKey: Jwk;
  readonly privateKey: Sealed;
}

const collection = 'signing-keys';
const purpose = 'signing key';

/**
 * The signing keys of a store, generated if it has none: processes that start at the same time get the same. The
 * private halves are encrypted with the secret (AES-256-GCM). Throws Error with the reason if they were encrypted with
 * another secret.
 */
export async function loadSigningKeys(
  store: Pick<Store, 'documents'>,
  secret: string,
  now: () => number,
): Promise<SigningKeys> {
  const keys = store.documents(collection);
  let kept = await all(keys);
  if (kept.length === 0) {
    await keys.put(numbered(1), await newKey(secret, now(), now()), { ifAbsent: true });
    kept = await all(keys);
  }
  const read = (of: readonly KeptKey[]): SigningKeys => {
    const signing = of.findLast(({ from }) => from <= now()) ?? of[0];
    const others = of.filter(key => key !== signing);
    const ordered = signing === undefined ? [] : [signing, ...others];
    const state = stateOf(of, signing);
    const current: SigningKeys = {
      jwks: { keys: ordered.map(key => privateJwk(key, secret)) },
      publicJwks: { keys: ordered.map(({ publicKey }) => publicKey) },
      async refresh() {
        const found = await all(keys);
        const next = found.findLast(({ from }) => from <= now()) ?? found[0];
        return stateOf(found, next) === state ? current : read(found);
      },
    };
    return current;
  };
  return read(kept);
}

/**
 * Adds a key, which signs from a minute later on; the former ones stay published until the tokens that they signed have
 * expired. Returns the ids of the new key and of the former. Throws Error if the secret is not that of the store.
 */
export async function rotateSigningKeys(
  store: Pick<Store, 'documents'>,
  secret: string,
  now: () => number,
): Promise<{ readonly kid: string; readonly former: string | undefined; readonly from: number }> {
  const keys = store.documents(collection);
  const kept = await all(keys);
  for (const key of kept) privateJwk(key, secret);
  const last = kept.at(-1);
  const from = last === undefined ? now() : now() + publishedBefore;
  const fresh = await newKey(secret, now(), from);
  const number = (last?.number ?? 0) + 1;
  const there = (await keys.put(numbered(number), fresh, { ifAbsent: true })) as KeptKey; // only this module writes it
  if (there.kid !== fresh.kid)
    throw new Error('Another process rotated the signing keys at the same time. Run the command again.');
  const until = from + publishedAfter;
  for (const { number, ...key } of kept.filter(key => key.until === undefined))
    await keys.put(numbered(number), { ...key, until }, { expires: until });
  return { kid: fresh.kid, former: last?.kid, from };
}

/**
 * Removes all keys, for a store whose secret is lost: tokens that they signed can no longer be verified. Returns their
 * number.
 */
export async function discardSigningKeys(store: Pick<Store, 'documents'>): Promise<number> {
  const keys = store.documents(collection);
  const kept = await all(keys);
  for (const { number } of kept) await keys.delete(numbered(number));
  return kept.length;
}

/** In the order of their creation. */
async function all(keys: DocumentStore): Promise<readonly (KeptKey & { readonly number: number })[]> {
  const found: (KeptKey & { readonly number: number })[] = [];
  // only this module writes it
  for await (const { key, value } of keys.list()) found.push({ ...(value as KeptKey), number: Number(key) });
  return found;
}

/** Sorts like the numbers. */
const numbered = (number: number): string => String(number).padStart(8, '0');

const stateOf = (of: readonly KeptKey[], signing: KeptKey | undefined): string =>
  [signing, ...of].map(key => key?.kid).join(' ');

/** RS256, which every OpenID client supports. https://openid.net/specs/openid-connect-core-1_0.html#IDToken */
async function newKey(secret: string, now: number, from: number): Promise<KeptKey> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const { n = '', e = '' } = pair.publicKey.export({ format: 'jwk' });
  // https://www.rfc-editor.org/rfc/rfc7638
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  const about = { kid, use: 'sig', alg: 'RS256' };
  const privateKey = seal(JSON.stringify({ ...pair.privateKey.export({ format: 'jwk' }), ...about }), secret, purpose);
  return { kid, made: now, from, publicKey: { kty: 'RSA', n, e, ...about }, privateKey };
}

function privateJwk({ privateKey }: KeptKey, secret: string): Jwk {
  const text = unseal(privateKey, secret, purpose);
  if (text !== undefined) return JSON.parse(text) as Jwk; // newKey wrote it
  throw new Error(
    'The signing keys in this store are encrypted with another key file: set `key-file` to the former ' +
      'one. If it is lost, `key rotate --discard` replaces the keys; all users have to sign in again.',
  );
}
