import { statSync } from 'node:fs';
import { readSetting } from '../../config/named-file.ts';

/** Minimum length of a random secret: 24 random bytes in base64. */
const least = 32;

/**
 * The secret in the file that the setting `key-file` names. Throws Error, with the command that repairs it, if the file
 * is missing, too short or readable by other users.
 */
export function readKeyFile(path: string): string {
  const text = readSetting('key-file', path).toString('utf8').trim();
  const isOpen = (statSync(path).mode & 0o077) !== 0;
  if (isOpen && process.platform !== 'win32')
    throw new Error(`The key file \`${path}\` can be read or changed by other users: run \`chmod 600 ${path}\`.`);
  if (text.length < least) {
    throw new Error(
      `The key file \`${path}\` must hold at least ${least} random characters; \`(umask 077; openssl rand ` +
        `-base64 32 > ${path})\` makes them.`,
    );
  }
  return text;
}
