import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from '../auth/token/digest.ts';
import { makeFolder, ownerOnly } from '../store/files/durable.ts';
import { parseStoreUrl } from '../store/url.ts';

/** Secret files of a demonstration: beside the store, or in `data` if that is not a file. */
export interface DemoFiles {
  /** Encrypts the signing keys. */
  readonly keyFile: string;
  /** The private key of the backend client, as a JSON Web Key. */
  readonly backendKey: string;
}

/** Their paths for a store, by its URL. */
export function demoFiles(storeUrl: string): DemoFiles {
  const url = parseStoreUrl(storeUrl);
  const beside = url?.kind === 'sqlite' ? url.file : join('data', digestOf(storeUrl).slice(0, 12));
  return { keyFile: `${beside}.demo-key`, backendKey: `${beside}.demo-backend-key` };
}

/** Generates the secret if there is none, readable by its owner only. */
export function makeKeyFile({ keyFile }: DemoFiles): void {
  keep(keyFile, () => `${randomBytes(32).toString('base64')}\n`);
}

/** The public half of the backend's key, which is generated if there is none, readable by its owner only. */
export function makeBackendKey({ backendKey }: DemoFiles): Readonly<Record<string, unknown>> {
  keep(backendKey, () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const kid = randomBytes(12).toString('base64url');
    return `${JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES384' })}\n`;
  });
  const { kid, ...key } = JSON.parse(readFileSync(backendKey, 'utf8')) as { kid: string }; // made above
  const { kty, crv, x, y } = createPublicKey({ key, format: 'jwk' }).export({ format: 'jwk' });
  return { kty, crv, x, y, kid, alg: 'ES384', use: 'sig' };
}

function keep(path: string, make: () => string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  writeFileSync(path, make(), { mode: ownerOnly.file, flag: 'wx' });
}
