import { randomUUID } from 'node:crypto';
import { networkOf } from '../fetch/network-of.ts';
import type { DocumentStore } from '../store/documents.ts';
import type { Store } from '../store/store.ts';
import { digestOf } from '../auth/token/digest.ts';

/** What somebody tries to sign in as, and from where. */
export interface Attempted {
  readonly user: string;
  /** IP address. */
  readonly address: string;
}

/** An attempt that may be made; it counts as a failure until it is told to have succeeded. */
export interface Attempt {
  succeeded(): Promise<void>;
  failed(): Promise<void>;
}

export interface Throttle {
  /** Throws TooManyAttempts while nobody may try. */
  begin(attempted: Attempted): Promise<Attempt>;
}

/** Sign-ins failed too often. */
export class TooManyAttempts extends Error {
  /** How long to wait until the next one. */
  readonly seconds: number;
  constructor(seconds: number) {
    super(`Signing in has failed too often: wait ${seconds} seconds`);
    this.name = 'TooManyAttempts';
    this.seconds = seconds;
  }
}

/** How many failures cost nothing, and the wait behind the next one, which doubles up to the longest. Milliseconds. */
interface Rule {
  readonly free: number;
  readonly first: number;
  readonly longest: number;
  /** How long failures are remembered behind the last one. */
  readonly memory: number;
}

/** An address may be that of a whole clinic. https://pages.nist.gov/800-63-4/sp800-63b.html#throttle */
export const throttleRules: { readonly account: Rule; readonly address: Rule } = {
  account: { free: 5, first: 2_000, longest: 900_000, memory: 86_400_000 },
  address: { free: 30, first: 1_000, longest: 300_000, memory: 3_600_000 },
};

/**
 * Counts failed sign-ins by account, whether it exists or not, and by address, in the store and so for all processes. Behind a
 * number of failures each one is followed by a wait, twice as long as the one before, up to a longest: nobody is locked out for
 * ever. Attempts at the same moment each take a number of their own, so that no more of them are made than one after the other.
 */
export function createThrottle(store: Pick<Store, 'documents'>, now: () => number): Throttle {
  const counts = store.documents('sign-in-failures');
  return {
    async begin({ user, address }) {
      const account = new Counter(counts, `user/${digestOf(user)}`, throttleRules.account, now);
      const place = new Counter(counts, `address/${digestOf(networkOf(address))}`, throttleRules.address, now);
      await account.look();
      await place.take();
      try {
        await account.take();
      } catch (error) {
        await place.giveBack();
        throw error;
      }
      return {
        // Signing in to one account says nothing of the failures for others from the same address.
        succeeded: async () => void (await Promise.all([account.forget(), place.giveBack()])),
        failed: async () => void (await Promise.all([account.keep(), place.keep()])),
      };
    },
  };
}

/** Failures so far: their number, and when the last of them was; numbers are taken in a series of its own until it is forgotten. */
interface Failures {
  readonly series: string;
  readonly count: number;
  readonly at: number;
}

class Counter {
  readonly #counts: DocumentStore;
  readonly #key: string;
  readonly #rule: Rule;
  readonly #now: () => number;
  #taken: Failures | undefined;

  constructor(counts: DocumentStore, key: string, rule: Rule, now: () => number) {
    this.#counts = counts;
    this.#key = key;
    this.#rule = rule;
    this.#now = now;
  }

  /** Throws TooManyAttempts where none is to be made now. */
  async look(): Promise<void> {
    const failures = (await this.#counts.get(this.#key)) as Failures | undefined; // written below alone
    if (failures !== undefined) this.#require(failures);
  }

  /** Takes the number of the next attempt; throws TooManyAttempts where none is to be made now. */
  async take(): Promise<void> {
    const fresh: Failures = { series: randomUUID(), count: 0, at: 0 };
    let failures = (await this.#counts.putIfAbsent(this.#key, fresh, this.#until)) as Failures; // written here alone
    for (;;) {
      this.#require(failures);
      const attempt = { id: randomUUID(), at: this.#now() };
      const { series, count } = failures;
      const key = this.#numberKey({ series, count: count + 1 });
      const there = (await this.#counts.putIfAbsent(key, attempt, this.#until)) as typeof attempt; // written here alone
      failures = { series, count: count + 1, at: there.at };
      if (there.id === attempt.id) break;
    }
    this.#taken = failures;
  }

  /** The attempt failed. */
  async keep(): Promise<void> {
    await this.#counts.put(this.#key, this.#taken, this.#until);
  }

  /** The attempt is not to count. */
  async giveBack(): Promise<void> {
    if (this.#taken !== undefined) await this.#counts.delete(this.#numberKey(this.#taken));
  }

  /** Counts from the beginning. */
  async forget(): Promise<void> {
    await this.#counts.delete(this.#key);
    await this.giveBack();
  }

  get #until(): number {
    return this.#now() + this.#rule.memory;
  }

  #numberKey({ series, count }: Pick<Failures, 'series' | 'count'>): string {
    return `${this.#key}/${series}/${count}`;
  }

  #require({ count, at }: Failures): void {
    const { free, first, longest } = this.#rule;
    const wait = count < free ? 0 : Math.min(first * 2 ** (count - free), longest);
    const left = at + wait - this.#now();
    if (wait > 0 && left > 0) throw new TooManyAttempts(Math.ceil(left / 1000));
  }
}
