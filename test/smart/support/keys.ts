import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { JWK, JWTHeaderParameters } from 'jose';

/** A key of a client. */
export interface ClientKey {
  readonly alg: string;
  readonly kid: string;
  readonly publicJwk: JWK & { readonly kid: string };
  readonly privateKey: CryptoKey;
}

export async function keyPair(alg: 'RS384' | 'ES384' | 'RS256' | 'ES256', kid = `key-${alg}`): Promise<ClientKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { alg, kid, publicJwk, privateKey };
}

let counter = 0;

/** A client assertion as SMART wants it; a claim or header that is undefined is left out. */
export function assertion(
  key: ClientKey,
  client: string,
  tokenEndpoint: string,
  now: number,
  more: {
    readonly header?: Readonly<Record<string, unknown>>;
    readonly claims?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<string> {
  const seconds = Math.floor(now / 1000);
  const jti = `jti-${process.pid}-${(counter += 1)}`;
  const claims = {
    iss: client,
    sub: client,
    aud: tokenEndpoint,
    exp: seconds + 300,
    iat: seconds,
    jti,
    ...more.claims,
  };
  const header = { alg: key.alg, kid: key.kid, typ: 'JWT', ...more.header };
  const given = (of: object): object =>
    Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));
  return new SignJWT(given(claims) as Record<string, unknown>)
    .setProtectedHeader(given(header) as JWTHeaderParameters)
    .sign(key.privateKey);
}
