// The files of `tls-cert` and `tls-key`: src/http/README.md.
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTlsFiles } from '../../src/http/connection/tls-files.ts';
import { selfSigned } from '../support/certificate.ts';

const { cert, key } = selfSigned('localhost');
const encrypted = (passphrase: string): string =>
  createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase });

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'tls-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads files with these contents. */
function read(certificate: string, privateKey: string): unknown {
  const [certPath, keyPath] = [join(folder, 'a.crt'), join(folder, 'a.key')];
  writeFileSync(certPath, certificate);
  writeFileSync(keyPath, privateKey);
  return readTlsFiles(certPath, keyPath);
}

describe('a certificate with its key', () => {
  it.each<[title: string, cert: string, key: string]>([
    ['as PEM', cert, key],
    ['with lines that end with CR LF', cert.replaceAll('\n', '\r\n'), key.replaceAll('\n', '\r\n')],
    ['in one file', key + cert, key + cert],
    ['with the certificates of its issuers', cert + selfSigned('issuer').cert, key],
    ['with notes before them', `subject=CN = localhost\n${cert}`, `Key Attributes: <No Attributes>\n${key}`],
    ['whose passphrase is empty', cert, encrypted('')],
    ['before an encrypted copy', cert, key + encrypted('secret')],
  ])('%s is accepted', (_title, certificate, privateKey) => {
    expect(read(certificate, privateKey)).toEqual({
      cert: Buffer.from(certificate),
      key: Buffer.from(privateKey),
    });
  });

  it.each<[title: string, cert: string, key: string, setting: string, text: string]>([
    ['without a certificate', key, key, 'tls-cert', 'is not a certificate as PEM: '],
    ['without a key', cert, cert, 'tls-key', 'is not a private key as PEM: '],
    ['of another certificate', cert, selfSigned('localhost').key, 'tls-key', 'is not the key of `tls-cert`'],
    ['that is encrypted', cert, encrypted('secret'), 'tls-key', 'it is encrypted; `openssl pkey -in '],
  ])('%s is refused', (_title, certificate, privateKey, setting, text) => {
    expect(() => read(certificate, privateKey)).toThrow(new RegExp(`^\`${setting}\` \\(\`.*${text}`));
  });
});
