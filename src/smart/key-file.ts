import { readFileSync, statSync } from 'node:fs';

/** The fewest characters of a secret that nobody guesses: 24 random bytes in base64 have as many. */
const least = 32;

/**
 * The secret in the file that the setting `key-file` names. Throws Error, with what mends it, where it is missing, too short or
 * readable by others than its owner.
 */
export function readKeyFile(path: string): string {
  let text: string;
  try {
    const others = statSync(path).mode & 0o077;
    if (others !== 0 && process.platform !== 'win32')
      throw new Error(
        `The key file \`${path}\` may be read or changed by others than its owner: \`chmod 600 ${path}\` mends that.`,
      );
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException; // whatever the file system says
    if (code === '') throw error;
    const why = code === 'ENOENT' ? 'is not there' : `cannot be read (${code})`;
    throw new Error(
      `The key file \`${path}\` ${why}: \`key-file\` names the one with which this store was first served, or for a new store one that \`(umask 077; openssl rand -base64 32 > ${path})\` makes.`,
      { cause: error },
    );
  }
  if (text.length < least) {
    throw new Error(
      `The key file \`${path}\` must hold at least ${least} random characters; \`(umask 077; openssl rand -base64 32 > ${path})\` makes them.`,
    );
  }
  return text;
}
