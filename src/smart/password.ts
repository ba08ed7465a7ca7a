import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';

/** https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id: 19 MiB, two passes, one lane. */
const usual = { memory: 19_456, passes: 2, parallelism: 1 };

/** The fewest and the most characters of a password. https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver */
const length = { least: 12, most: 256 };

/**
 * What a password is kept as: `$argon2id$v=19$m=19456,t=2,p=1$…$…`, with a salt of its own.
 * https://www.rfc-editor.org/rfc/rfc9106
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, 32, usual);
  const { memory, passes, parallelism } = usual;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${printed(salt)}$${printed(hash)}`;
}

/**
 * Whether it is the password that was kept so. Without one that was kept it takes as long and is false: nobody is to learn who
 * has a password here.
 */
export async function checkPassword(password: string, kept: string | undefined): Promise<boolean> {
  const parsed = parseHash(kept ?? nobodys);
  if (parsed === undefined) throw new Error('A password is not kept as this program keeps them.');
  const { salt, hash, ...cost } = parsed;
  if (Array.from(password).length > length.most) return false;
  return timingSafeEqual(await derive(password, salt, hash.length, cost), hash) && kept !== undefined;
}

/** Throws Error, with a sentence that goes on from "The password ", for one that is not to be accepted for this user. */
export function requirePassword(password: string, user: { readonly id: string; readonly name: string }): void {
  const characters = Array.from(password.normalize('NFKC')).length;
  if (characters < length.least) throw new Error(`must have ${length.least} characters or more.`);
  if (characters > length.most) throw new Error(`must have ${length.most} characters or fewer.`);
  const plain = password.normalize('NFKC').toLowerCase().trim();
  if ([user.id, user.name].some(name => plain === name.normalize('NFKC').toLowerCase().trim()))
    throw new Error('must not be the name of the user.');
  if (/\p{Cc}/u.test(password)) throw new Error('must not hold control characters.');
}

/** A password that nobody guesses, to be written down once: 100 random bits in groups of five letters and digits. */
export function newPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'; // none that look alike
  const text = Array.from(randomBytes(20), byte => letters[byte % 32]).join('');
  return text.match(/.{5}/g)?.join('-') ?? '';
}

/** Whether a text is what hashPassword gives, or another program for argon2id at a bearable cost. */
export const isPasswordHash = (text: string): boolean => parseHash(text) !== undefined;

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** No password has this. */
const nobodys = `$argon2id$v=19$m=${usual.memory},t=${usual.passes},p=${usual.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

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

/** How many are made at a time: each takes 19 MiB and a processor. */
const mostAtOnce = 2;
let running = 0;
const waiting: (() => void)[] = [];

/** Off the event loop. */
async function derive(password: string, nonce: Buffer, tagLength: number, cost: Cost): Promise<Buffer> {
  if (running >= mostAtOnce) await new Promise<void>(resolve => waiting.push(resolve));
  else running++;
  try {
    const message = password.normalize('NFKC');
    return await new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', { message, nonce, tagLength, ...cost }, (error, hash) =>
        error === null ? resolve(hash) : reject(error),
      );
    });
  } finally {
    const next = waiting.shift(); // takes over the turn
    if (next === undefined) running--;
    else next();
  }
}
