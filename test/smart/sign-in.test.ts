import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashPassword } from '../../src/smart/accounts/password.ts';
import { createRegistry, userCollection } from '../../src/smart/accounts/registry.ts';
import { SignInRefused, signIn } from '../../src/smart/sign-in/sign-in.ts';
import { createThrottle } from '../../src/smart/sign-in/throttle.ts';
import { twoStores } from '../support/two-stores.ts';
import type { TwoStores } from '../support/two-stores.ts';

let two: TwoStores;
beforeAll(async () => {
  two = await twoStores();
  const password = await hashPassword('correct horse battery');
  const ann = { id: 'ann', name: 'Ann', password, partitions: [{ id: 'clinic' }], registered: 0 };
  await two.stores[0].documents(userCollection).put('ann', ann);
});
afterAll(() => two.close());

/** The name of the signed-in user, or the reason of the refusal. */
async function attempt(user: string, password: string, address = '192.0.2.1'): Promise<string> {
  const now = (): number => two.clock.now;
  const store = two.stores[1];
  const parts = { registry: createRegistry(store, undefined, now), throttle: createThrottle(store, now) };
  try {
    return (await signIn(parts, { user, password, address })).name;
  } catch (error) {
    if (error instanceof SignInRefused) return `${error.reason} ${error.seconds}: ${error.message}`;
    throw error;
  }
}

const wrong = 'wrong 0: The user name or the password is wrong';

describe('signing in', () => {
  it.each([['ann'], ['Ann'], [' ann ']])('takes the name as people type it: `%s`', async typed => {
    expect(await attempt(typed, 'correct horse battery')).toBe('Ann');
  });

  it('says the same of a wrong password and of a user who does not exist, also when it was too often', async () => {
    const answers: string[] = [];
    for (let at = 0; at < 7; at++)
      answers.push(`${await attempt('ann', 'wrong', '192.0.2.3')} / ${await attempt('nobody', 'wrong', '192.0.2.4')}`);
    const throttled = 'throttled 2: Try again in 2 seconds';
    const both = [`${wrong} / ${wrong}`, `${throttled} / ${throttled}`] as const;
    expect(answers).toEqual([both[0], both[0], both[0], both[0], both[0], both[1], both[1]]);
  });

  it('is refused during the delay, also with the right password, and counts again after it', async () => {
    two.clock.now += 100_000_000;
    for (let at = 0; at < 5; at++) expect(await attempt('ANN', 'wrong')).toBe(wrong);
    expect(await attempt('ann', 'correct horse battery')).toContain('throttled 2');
    two.clock.now += 2_000;
    expect(await attempt('ann', 'correct horse battery')).toBe('Ann');
    for (let at = 0; at < 5; at++) expect(await attempt('ann', 'wrong')).toBe(wrong);
    expect(await attempt('ann', 'wrong')).toContain('throttled 2');
  });

  it('guesses no faster by many requests at the same moment', async () => {
    two.clock.now += 100_000_000;
    const guesses = Array.from({ length: 30 }, (_, at) => attempt('ann', `guess ${at}`, `192.0.2.${at}`));
    const answers = await Promise.all(guesses);
    expect(answers.filter(answer => answer === wrong)).toHaveLength(5);
  });
});
