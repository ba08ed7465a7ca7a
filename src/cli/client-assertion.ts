import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { clientId } from '../smart/account-rules.ts';
import { issuerPath } from '../smart/offered.ts';
import { ConfigError } from '../config.ts';
import { some } from '../config/values.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Prints a client assertion, and nothing else: the credential of an asymmetric client. */
export const command = defineCommand({
  positionals: 'ID',
  details: `It is single-use and expires after five minutes. --key names the private key, as PEM or JSON Web Key; that
of the demo backend is beside the store.
https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#authenticating-to-the-token-endpoint`,
  takes: storeSettings,
  own: [
    { flag: 'key', value: 'FILE', read: some, meaning: 'File with the private key: RSA, or EC on P-384' },
    { flag: 'kid', value: 'ID', read: some, meaning: 'Id of the key, if the file has none' },
  ],
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', clientId);
    const path = own.key ?? (await demoKey(id, config.store));
    if (path === undefined) throw new ConfigError(['`--key` is missing: the file with the private key of the client.']);
    const { key, kid } = readPrivateKey(path);
    const named = own.kid ?? kid;
    if (named === undefined) throw new ConfigError(['`--kid` is missing: the file has no id of the key.']);
    return withStore(config, 'read', async ({ publicUrl }) => {
      console.log(assertion(id, `${publicUrl}${issuerPath}/token`, key, named));
      return exitCodes.done;
    });
  },
});

function assertion(client: string, audience: string, key: KeyObject, kid: string): string {
  const now = Math.floor(Date.now() / 1000);
  const alg = key.asymmetricKeyType === 'rsa' ? 'RS384' : 'ES384';
  const claims = { iss: client, sub: client, aud: audience, jti: randomUUID(), iat: now, exp: now + 290 };
  const text = [{ typ: 'JWT', alg, kid }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign('sha384', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

function readPrivateKey(path: string): { readonly key: KeyObject; readonly kid: string | undefined } {
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

async function demoKey(id: string, store: string): Promise<string | undefined> {
  const [{ demoBackend }, { demoFiles }] = await Promise.all([
    import('../demo/clients.ts'),
    import('../demo/files.ts'),
  ]);
  const { backendKey } = demoFiles(store);
  return id === demoBackend && existsSync(backendKey) ? backendKey : undefined;
}
