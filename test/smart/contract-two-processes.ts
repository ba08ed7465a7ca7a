import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLaunch, findLaunch, takeLaunch } from '../../src/smart/sign-in/launches.ts';
import { createSessions } from '../../src/smart/sign-in/session.ts';
import {
  discardSigningKeys,
  loadSigningKeys,
  publishedAfter,
  publishedBefore,
  rotateSigningKeys,
} from '../../src/smart/token/signing-keys.ts';
import { createThrottle, throttleRules, TooManyAttempts } from '../../src/smart/sign-in/throttle.ts';
import { isRevoked, revocationCollection } from '../../src/auth/token/revocations.ts';
import type { Place } from '../support/store-place.ts';
import { twoStores } from '../support/two-stores.ts';
import type { TwoStores } from '../support/two-stores.ts';

/** What must hold where two processes work on one store, whatever the store. */
export function contractOfTwoProcesses(newPlace?: () => Promise<Place>): void {
  let two: TwoStores;
  const now = (): number => two.clock.now;
  const pass = (milliseconds: number): void => void (two.clock.now += milliseconds);
  beforeAll(async () => {
    two = await twoStores(newPlace);
  });
  beforeEach(async () => {
    pass(30 * 86_400_000); // nothing of the test before counts any more
    await discardSigningKeys(two.stores[0]);
  });
  afterAll(() => two.close());

  describe('throttling', () => {
    const someone = { user: 'ann', address: '192.0.2.1' };
    const wait = async (of: typeof someone, which: 0 | 1 = 0): Promise<number> => {
      try {
        const attempt = await createThrottle(two.stores[which], now).begin(of);
        await attempt.failed();
        return 0;
      } catch (error) {
        if (error instanceof TooManyAttempts) return error.seconds;
        throw error;
      }
    };

    it('has no delay at first, then a doubled one each time up to the maximum, in all processes', async () => {
      const waits: number[] = [];
      for (let failures = 0; failures < 20; failures++) {
        const seconds = await wait({ ...someone, address: `192.0.2.${failures}` }, (failures % 2) as 0 | 1);
        waits.push(seconds);
        pass(seconds * 1000);
        const behind = seconds > 0 ? await wait({ ...someone, address: '198.51.100.1' }) : 0;
        expect(behind).toBe(0);
      }
      expect(waits).toEqual([0, 0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900, 900, 900]);
    });

    it('does not grow by attempts that are not let through', async () => {
      for (let at = 0; at < 5; at++) await wait(someone);
      for (let at = 0; at < 50; at++) expect(await wait(someone, (at % 2) as 0 | 1)).toBe(2);
      pass(2_000);
      expect(await wait(someone)).toBe(0);
    });

    it('lets no more attempts through at the same moment than one after the other', async () => {
      const waits = await Promise.all(
        Array.from({ length: 40 }, (_, at) => wait({ ...someone, address: `192.0.2.${at}` }, (at % 2) as 0 | 1)),
      );
      expect(waits.filter(seconds => seconds === 0)).toHaveLength(throttleRules.account.free);
    });

    it('begins again after a success, and after a day without a failure', async () => {
      for (let at = 0; at < 5; at++) await wait(someone);
      expect(await wait(someone)).toBe(2);
      pass(2_000);
      await (await createThrottle(two.stores[1], now).begin(someone)).succeeded();
      for (let at = 0; at < 5; at++) expect(await wait(someone)).toBe(0);
      expect(await wait(someone)).toBe(2);
      pass(throttleRules.account.memory + 1);
      for (let at = 0; at < 5; at++) expect(await wait(someone)).toBe(0);
    });

    it('counts failures of all names from an address, and no successes', async () => {
      const throttle = createThrottle(two.stores[0], now);
      for (let at = 0; at < 40; at++) await (await throttle.begin({ ...someone, user: `good${at}` })).succeeded();
      const { free } = throttleRules.address;
      for (let at = 0; at < free; at++) expect(await wait({ ...someone, user: `user${at}` })).toBe(0);
      expect(await wait({ ...someone, user: 'other' })).toBe(1);
      expect(await wait({ user: 'other', address: '192.0.2.2' })).toBe(0);
      pass(1_000);
      await (await throttle.begin({ ...someone, user: 'good' })).succeeded();
      expect(await wait({ ...someone, user: 'other' })).toBe(0);
      expect(await wait({ ...someone, user: 'other' })).toBe(2);
    });

    it.each([
      ['the same network of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', false],
      ['another network of IPv6', '2001:db8:1:2::1', '2001:db8:1:3::1', true],
      ['IPv4 in IPv6', '192.0.2.9', '::ffff:192.0.2.9', false],
    ])('takes as one address: %s', async (_, one, other, free) => {
      for (let at = 0; at < throttleRules.address.free; at++) await wait({ user: `user${at}`, address: one });
      expect((await wait({ user: 'next', address: other })) === 0).toBe(free);
    });
  });

  describe('launch values', () => {
    const who = { client: 'app', user: 'ann', partition: 'clinic' };
    const launch = { ...who, patient: 'p', encounter: undefined, intent: 'reconcile', needPatientBanner: true };

    it('are good once, in whichever process', async () => {
      const value = await createLaunch(two.stores[0], launch, { now });
      expect(await findLaunch(two.stores[1], value)).toEqual(JSON.parse(JSON.stringify(launch)));
      const taken = await Promise.all(
        Array.from({ length: 10 }, (_, at) => takeLaunch(two.stores[(at % 2) as 0 | 1], value, who)),
      );
      expect(taken.filter(one => one !== undefined)).toEqual([JSON.parse(JSON.stringify(launch))]);
      expect(await findLaunch(two.stores[1], value)).toBeUndefined();
    });

    it('are over after five minutes, or the time that is given', async () => {
      const value = await createLaunch(two.stores[0], launch, { now });
      const short = await createLaunch(two.stores[0], launch, { now, lifetime: 1_000 });
      pass(1_000);
      expect(await takeLaunch(two.stores[0], short, who)).toBeUndefined();
      pass(298_999);
      expect(await findLaunch(two.stores[0], value)).toBeDefined();
      pass(1);
      expect(await takeLaunch(two.stores[0], value, who)).toBeUndefined();
    });

    it.each([{ client: 'other' }, { user: 'other' }, { partition: 'ward' }])(
      'are not good for others, and stay good: %j',
      async other => {
        const value = await createLaunch(two.stores[0], launch, { now });
        expect(await takeLaunch(two.stores[1], value, { ...who, ...other })).toBeUndefined();
        expect(await takeLaunch(two.stores[1], value, who)).toBeDefined();
      },
    );

    it('cannot be read out of the store', async () => {
      const value = await createLaunch(two.stores[0], launch, { now });
      for await (const note of two.stores[0].export()) expect(JSON.stringify(note)).not.toContain(value);
      expect(await takeLaunch(two.stores[0], 'another', who)).toBeUndefined();
    });
  });

  describe('sessions', () => {
    const times = { idle: 900_000, lifetime: 28_800_000 };
    const both = () => two.stores.map(store => createSessions(store, times, now)) as [Sessions, Sessions];
    type Sessions = ReturnType<typeof createSessions>;

    it('are known in all processes until they are idle for too long', async () => {
      const [first, second] = both();
      const secret = await first.begin({ id: 'ann' });
      expect(await second.find(secret)).toMatchObject({ user: 'ann', began: now() });
      expect(await second.find('another')).toBeUndefined();
      for (let at = 0; at < 4; at++) {
        pass(899_000);
        expect(await first.find(secret)).toBeDefined();
      }
      pass(900_000);
      expect(await second.find(secret)).toBeUndefined();
    });

    it('bear online access for their longest time, also while they are idle, until they are ended', async () => {
      const [first, second] = both();
      const secrets = [await first.begin({ id: 'ann' }), await first.begin({ id: 'ann' })] as const;
      const ids = await Promise.all(secrets.map(async secret => (await first.find(secret))?.id ?? ''));
      const alive = () => Promise.all(ids.map(id => second.isAlive(id)));
      pass(900_000);
      expect(await second.find(secrets[0])).toBeUndefined();
      expect(await alive()).toEqual([true, true]);
      await second.end(secrets[1]);
      expect(await alive()).toEqual([true, false]);
      pass(28_800_000 - 900_001);
      expect(await alive()).toEqual([true, false]);
      expect(await first.find(secrets[0])).toBeUndefined();
      pass(1);
      expect(await alive()).toEqual([false, false]);
    });

    it('that were never begun leave no trace when they are ended', async () => {
      const [first] = both();
      const notes = async (): Promise<number> => {
        let count = 0;
        for await (const _ of two.stores[0].export()) count += 1;
        return count;
      };
      const before = await notes();
      await first.end('made up');
      expect(await notes()).toBe(before);
    });

    it('are over after their longest time, however they are used', async () => {
      const [first] = both();
      const secret = await first.begin({ id: 'ann' });
      for (let at = 0; at < 47; at++) {
        pass(600_000);
        expect(await first.find(secret)).toBeDefined();
      }
      pass(600_000);
      expect(await first.find(secret)).toBeUndefined();
    });

    it('have a new secret each, which is not in the store', async () => {
      const [first] = both();
      const [one, other] = [await first.begin({ id: 'ann' }), await first.begin({ id: 'ann' })];
      expect(one).not.toBe(other);
      expect((await first.find(one))?.id).not.toBe((await first.find(other))?.id);
      for await (const note of two.stores[0].export()) expect(JSON.stringify(note)).not.toContain(one);
    });

    it('end by signing out, without other sessions, with all that depends on them', async () => {
      const [first, second] = both();
      const [one, other] = [await first.begin({ id: 'ann' }), await first.begin({ id: 'ann' })];
      const id = (await first.find(one))?.id ?? '';
      expect(await first.isAlive(id)).toBe(true);
      await second.end(one);
      expect([await first.find(one), await first.isAlive(id)]).toEqual([undefined, false]);
      expect(await first.find(other)).toBeDefined();
      expect(await isRevoked(two.stores[0].documents(revocationCollection), { session: id }, now())).toBe(true);
    });

    it('are over at once where the password was changed while it was checked', async () => {
      const [first, second] = both();
      const since = now();
      pass(1);
      await second.endAll('ann'); // as a change of the password does
      pass(1);
      const secret = await first.begin({ id: 'ann' }, since);
      expect(await first.find(secret)).toBeUndefined();
      expect(await first.find(await first.begin({ id: 'ann' }))).toBeDefined();
    });

    it('all end by signing out everywhere, but for those that begin later', async () => {
      const [first, second] = both();
      const secrets = [await first.begin({ id: 'ann' }), await second.begin({ id: 'ann' })];
      const another = await first.begin({ id: 'bob' });
      await second.endAll('ann');
      for (const secret of secrets) expect(await first.find(secret)).toBeUndefined();
      expect(await first.find(another)).toBeDefined();
      pass(1);
      expect(await first.find(await first.begin({ id: 'ann' }))).toBeDefined();
    });
  });

  describe('signing keys', () => {
    const secret = 'a secret of random characters, in this test';
    const kids = (keys: { readonly keys: readonly Readonly<Record<string, unknown>>[] }) =>
      keys.keys.map(({ kid }) => kid);

    it('are made once where several processes start at the same time', async () => {
      const loaded = await Promise.all(
        Array.from({ length: 6 }, (_, at) => loadSigningKeys(two.stores[(at % 2) as 0 | 1], secret, now)),
      );
      expect(new Set(loaded.flatMap(({ jwks }) => kids(jwks))).size).toBe(1);
      const [{ jwks, publicJwks } = { jwks: { keys: [] }, publicJwks: { keys: [] } }] = loaded;
      expect(jwks.keys).toMatchObject([{ kty: 'RSA', alg: 'RS256', use: 'sig' }]);
      expect(jwks.keys[0]).toHaveProperty('d');
      expect(publicJwks.keys[0]).not.toHaveProperty('d');
      for await (const { value } of two.stores[0].documents('signing-keys').list())
        expect(JSON.stringify(value)).not.toContain(String(jwks.keys[0]?.['d']));
    });

    it('are not read with another secret, and say what to do', async () => {
      await loadSigningKeys(two.stores[0], secret, now);
      const other = 'another secret of random characters';
      await expect(loadSigningKeys(two.stores[1], other, now)).rejects.toThrow(
        /another key file: .* `key rotate --discard`/,
      );
      await expect(rotateSigningKeys(two.stores[1], other, now)).rejects.toThrow('are encrypted with another key file');
      expect(await discardSigningKeys(two.stores[1])).toBe(1);
      expect(kids((await loadSigningKeys(two.stores[1], other, now)).publicJwks)).toHaveLength(1);
    });

    it('are rotated: the new one is published, then signs; the former stays until its tokens expire', async () => {
      const [one, other] = [
        await loadSigningKeys(two.stores[0], secret, now),
        await loadSigningKeys(two.stores[1], secret, now),
      ];
      const former = kids(one.jwks)[0];
      expect(await one.refresh()).toBe(one);
      const { kid } = await rotateSigningKeys(two.stores[1], secret, now);

      const before = await other.refresh();
      expect([kids(before.jwks), kids(before.publicJwks)]).toEqual([[former, kid], [former, kid]]); // prettier-ignore
      pass(publishedBefore);
      const after = await before.refresh();
      expect(kids(after.jwks)).toEqual([kid, former]);
      expect(kids((await one.refresh()).jwks)).toEqual([kid, former]);
      pass(publishedAfter - 1);
      expect(kids((await one.refresh()).publicJwks)).toEqual([kid, former]);
      pass(1);
      expect(kids((await one.refresh()).publicJwks)).toEqual([kid]);
    });

    it('are rotated by one of two who do it at the same moment', async () => {
      await loadSigningKeys(two.stores[0], secret, now);
      const outcomes = await Promise.allSettled(two.stores.map(store => rotateSigningKeys(store, secret, now)));
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      pass(publishedBefore);
      expect(kids((await loadSigningKeys(two.stores[0], secret, now)).publicJwks)).toHaveLength(2);
    });
  });
}
