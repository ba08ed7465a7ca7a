import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readSetting } from '../../config/named-file.ts';

/** A certificate chain and its key, as PEM. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads the files of `tls-cert` and `tls-key`. Throws Error with a sentence that names what is wrong with which. */
export function readTlsFiles(certPath: string, keyPath: string): TlsFiles {
  const files = { cert: readSetting('tls-cert', certPath), key: readSetting('tls-key', keyPath) };
  const certificate = parsed('tls-cert', certPath, 'a certificate', () => new X509Certificate(files.cert));
  const key = parsed('tls-key', keyPath, 'a private key', () => privateKey(files.key, keyPath));
  if (!certificate.checkPrivateKey(key)) {
    const first = 'The first certificate in the file must be that of the server.';
    throw new Error(`\`tls-key\` (\`${keyPath}\`) is not the key of \`tls-cert\` (\`${certPath}\`). ${first}`);
  }
  parsed('tls-cert', certPath, 'a usable certificate', () => createSecureContext(files)); // also its key is too weak
  return files;
}

/** The key, decrypted with the empty passphrase, as by a TLS server without one. */
function privateKey(pem: Buffer, path: string): KeyObject {
  const isEncrypted = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(pem.toString('latin1'));
  try {
    return createPrivateKey({ key: pem, passphrase: '' });
  } catch (error) {
    throw isEncrypted
      ? new Error(`it is encrypted; \`openssl pkey -in ${path} -out FILE\` writes it without a passphrase`)
      : error;
  }
}

function parsed<T>(setting: string, path: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`\`${setting}\` (\`${path}\`) is not ${what} as PEM: ${why}.`, { cause });
  }
}
