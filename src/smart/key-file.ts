import { readFileSync, statSync } from 'node:fs';

/** Minimum length of a random secret: 24 random bytes in base64. */
const least = 32;

/**
 * The secret in the file that the setting `key-file` names. Throws Error, with the command that repairs it, if the file
 * is missing, too short or readable by other users.
 */
export function readKeyFile(path: string): string {
  let text: string;
  try {
    const others = statSync(path).mode & 0o077;
    if (others !== 0 && process.platform !== 'win32')
      throw new Error(`The key file \`${path}\` can be read or changed by other users: run \`chmod 600 ${path}\`.`);
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException; // on every file system
    if (code === '') throw error;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    throw new Error(
      `The key file \`${path}\` ${why}: \`key-file\` names the one with which this store was first served, ` +
        `or for a new store one that \`(umask 077; openssl rand -base64 32 > ${path})\` makes.`,
      { cause: error },
    );
  }
  if (text.length < least) {
    throw new Error(
      `The key file \`${path}\` must hold at least ${least} random characters; \`(umask 077; openssl rand ` +
        `-base64 32 > ${path})\` makes them.`,
    );
  }
  return text;
}
