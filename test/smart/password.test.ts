import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  checkPassword,
  hashPassword,
  isPasswordHash,
  newPassword,
  requirePassword,
} from '../../src/smart/accounts/password.ts';

/** How often the event loop came round, a millisecond at a time, while something was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const done = work.then(() => true);
  while (!(await Promise.race([done, sleep(1).then(() => false)]))) turns++;
  return turns;
}

describe('a password', () => {
  it('is kept as argon2id with a salt of its own, and checked against that', async () => {
    const [one, other] = [await hashPassword('correct horse battery'), await hashPassword('correct horse battery')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await checkPassword('correct horse battery', one)).toBe(true);
    expect(await checkPassword('correct horse batterz', one)).toBe(false);
    expect(await checkPassword('', one)).toBe(false);
  });

  it('may have been kept by another program', async () => {
    // Of the reference implementation: https://github.com/P-H-C/phc-winner-argon2/blob/20190702/src/test.c
    const kept = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect([await checkPassword('password', kept), await checkPassword('passwore', kept)]).toEqual([true, false]);
  });

  it('is the same however the keyboard composes its letters', async () => {
    expect(await checkPassword('Me\u0301decin de famille', await hashPassword('M\u00e9decin de famille'))).toBe(true);
  });

  it('is rejected for an unknown user after the same work as for a known one', async () => {
    expect(await checkPassword('', undefined)).toBe(false);
    expect(await checkPassword('another password', undefined)).toBe(false);
    expect(await turnsDuring(checkPassword('another password', undefined))).toBeGreaterThan(3);
  });

  it('is hashed beside the event loop', async () => {
    const all = Promise.all(Array.from({ length: 6 }, () => hashPassword('correct horse battery')));
    expect(await turnsDuring(all)).toBeGreaterThan(3);
  });

  it.each([
    ['elevenchars', 'must have 12 characters or more.'],
    ['a'.repeat(257), 'must have 256 characters or fewer.'],
    ['médecin-méd', 'must have 12 characters or more.'],
    ['ann.tremblay.roy', 'must not be the name of the user.'],
    ['Ann.Tremblay.Roy', 'must not be the name of the user.'],
    ['Dr. Ann Tremblay', 'must not be the name of the user.'],
    ['with\ttab and more', 'must not contain control characters.'],
    ['all small letters', 'is accepted'],
    ['a'.repeat(256), 'is accepted'],
    ['😀😀😀😀😀😀😀😀😀😀😀😀', 'is accepted'],
  ])('is held to its length and little else: %s', (password, problem) => {
    const check = (): string => {
      try {
        requirePassword(password, { id: 'ann.tremblay.roy', name: 'Dr. Ann Tremblay' });
        return 'is accepted';
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    };
    expect(check()).toBe(problem);
  });

  it.each([
    ['$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['$argon2id$v=19$m=64,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['$argon2id$v=19$m=9999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['$2b$12$abcdefghijklmnopqrstuv'],
    ['correct horse battery'],
  ])('is not kept as %s', async kept => {
    expect(isPasswordHash(kept)).toBe(false);
    await expect(checkPassword('correct horse battery', kept)).rejects.toThrow('not in a supported format');
  });

  it('that is made is long, different each time, and accepted', () => {
    const made = Array.from({ length: 50 }, newPassword);
    expect(new Set(made).size).toBe(50);
    for (const password of made) {
      expect(password).toMatch(/^[a-km-np-z2-9]{5}(-[a-km-np-z2-9]{5}){3}$/);
      expect(() => requirePassword(password, { id: 'ann', name: 'Ann' })).not.toThrow();
    }
  });
});
