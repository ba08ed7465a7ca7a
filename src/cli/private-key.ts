import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CommandError } from './command.ts';

/**
 * A signed client assertion, which is single-use and expires after five minutes.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#authenticating-to-the-token-endpoint
 */
export function signAssertion(client: string, audience: string, key: KeyObject, kid: string): string {
  const now = Math.floor(Date.now() / 1000);
  const alg = key.asymmetricKeyType === 'rsa' ? 'RS384' : 'ES384';
  const claims = { iss: client, sub: client, aud: audience, jti: randomUUID(), iat: now, exp: now + 290 };
  const text = [{ typ: 'JWT', alg, kid }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('sha384', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** Reads a private key, as PEM or JSON Web Key, with its id if it has one. Throws CommandError for another key. */
export function readPrivateKey(path: string): { readonly key: KeyObject; readonly kid: string | undefined } {
  const text = readFileSync(path, 'utf8');
  try {
    if (!text.trimStart().startsWith('{')) return { key: fit(createPrivateKey(text)), kid: undefined };
    const { kid, ...jwk } = JSON.parse(text) as { kid?: string }; // createPrivateKey checks it
    return { key: fit(createPrivateKey({ key: jwk, format: 'jwk' })), kid };
  } catch (cause) {
    throw new CommandError(
      `\`${path}\` is not a usable private key: RSA, or EC on P-384, as PEM or JSON Web Key`,
      undefined,
      { cause },
    );
  }
}

function fit(key: KeyObject): KeyObject {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa' || (type === 'ec' && details?.namedCurve === 'secp384r1')) return key;
  throw new Error('The key has another type');
}
