import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { createSlots } from '../../limits/slots.ts';

/**
 * https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id: 19 MiB, two passes, one
 * lane.
 */
const usual = { memory: 19_456, passes: 2, parallelism: 1 };

/**
 * Minimum and maximum length of a password in characters. https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver
 */
const length = { least: 12, most: 256 };

/**
 * The hash of a password: `$argon2id$v=19$m=19456,t=2,p=1$…$…`, with its own salt.
 * https://www.rfc-editor.org/rfc/rfc9106
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, usual);
  const { memory, passes, parallelism } = usual;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${printed(salt)}$${printed(hash)}`;
}

/**
 * Compares a password with its hash. Without a hash it takes as long and returns false, so that the time does not
 * reveal which accounts exist.
 */
export async function checkPassword(password: string, kept: string | undefined): Promise<boolean> {
  const parsed = parseHash(kept ?? impossibleHash);
  if (parsed === undefined) throw new Error('A stored password hash is not in a supported format.');
  const { salt, hash, ...cost } = parsed;
  if (Array.from(password).length > length.most) return false;
  return timingSafeEqual(await derive(password, salt, hash.length, cost), hash) && kept !== undefined;
}

/** Throws Error, with a sentence that continues after "The password ", for a password that this user may not have. */
export function requirePassword(password: string, user: { readonly id: string; readonly name: string }): void {
  const characters = Array.from(password.normalize('NFKC')).length;
  if (characters < length.least) throw new Error(`must have ${length.least} characters or more.`);
  if (characters > length.most) throw new Error(`must have ${length.most} characters or fewer.`);
  const plain = password.normalize('NFKC').toLowerCase().trim();
  if ([user.id, user.name].some(name => plain === name.normalize('NFKC').toLowerCase().trim()))
    throw new Error('must not be the name of the user.');
  if (/\p{Cc}/u.test(password)) throw new Error('must not contain control characters.');
}

/** A random password to write down once: 100 random bits in groups of five letters and digits. */
export function newPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'; // without similar characters
  const text = Array.from(randomBytes(20), byte => letters[byte % 32]).join('');
  return text.match(/.{5}/g)?.join('-') ?? '';
}

/** Whether a text is a hash of hashPassword, or an argon2id hash of another program with an acceptable cost. */
export const isPasswordHash = (text: string): boolean => parseHash(text) !== undefined;

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** A hash that no password has. */
const emptySalt = 'A'.repeat(22);
const emptyHash = 'A'.repeat(43);
const costs = `m=${usual.memory},t=${usual.passes},p=${usual.parallelism}`;
const impossibleHash = `$argon2id$v=19$${costs}$${emptySalt}$${emptyHash}`;

/** https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md */
function parseHash(text: string): (Cost & { readonly salt: Buffer; readonly hash: Buffer }) | undefined {
  const form =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(text);
  if (form === null) return undefined;
  const [, m, t, p, salt = '', hash = ''] = form;
  const [memory, passes, parallelism] = [Number(m), Number(t), Number(p)];
  if (memory < 7_168 || memory > 262_144 || passes < 1 || passes > 10 || parallelism < 1 || parallelism > 4)
    return undefined;
  return { memory, passes, parallelism, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

const printed = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** How many are computed at a time: each takes 19 MiB and a processor. */
const passwordsAtOnce = 2;
let slots = createSlots(passwordsAtOnce);

/** Limits the passwords at a time to the share of one of several processes. */
export function sharePasswords(processes: number): void {
  slots = createSlots(Math.max(1, Math.floor(passwordsAtOnce / processes)));
}

/** Runs off the event loop. */
async function derive(password: string, nonce: Buffer, tagLength: number, cost: Cost): Promise<Buffer> {
  const release = await slots.take();
  try {
    const message = password.normalize('NFKC');
    return await new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', { message, nonce, tagLength, ...cost }, (error, hash) =>
        error === null ? resolve(hash) : reject(error),
      );
    });
  } finally {
    release();
  }
}
