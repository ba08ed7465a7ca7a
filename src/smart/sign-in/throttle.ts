import { randomUUID } from 'node:crypto';
import { networkOf } from '../../fetch/network-of.ts';
import type { DocumentStore } from '../../store/port/documents.ts';
import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';

/** The name and the address of a sign-in attempt. */
export interface Attempted {
  readonly user: string;
  /** IP address. */
  readonly address: string;
}

/** An attempt that may proceed; it counts as a failure until `succeeded`. */
export interface Attempt {
  succeeded(): Promise<void>;
  failed(): Promise<void>;
}

export interface Throttle {
  /** Throws TooManyAttempts during a wait. */
  begin(attempted: Attempted): Promise<Attempt>;
}

/** Too many sign-ins failed. */
export class TooManyAttempts extends Error {
  /** Seconds until the next attempt. */
  readonly seconds: number;
  constructor(seconds: number) {
    super(`Signing in has failed too often: wait ${seconds} seconds`);
    this.name = 'TooManyAttempts';
    this.seconds = seconds;
  }
}

/**
 * The number of failures without a wait, and the wait after the next one, which doubles up to the longest.
 * Milliseconds.
 */
interface Rule {
  readonly free: number;
  readonly first: number;
  readonly longest: number;
  /** How long failures are remembered after the last one. */
  readonly memory: number;
}

/** An address may be that of a whole clinic. https://pages.nist.gov/800-63-4/sp800-63b.html#throttle */
export const throttleRules: { readonly account: Rule; readonly address: Rule } = {
  account: { free: 5, first: 2_000, longest: 900_000, memory: 86_400_000 },
  address: { free: 30, first: 1_000, longest: 300_000, memory: 3_600_000 },
};

/**
 * Counts failed sign-ins by account, whether it exists or not, and by address, in the store and thus for all processes.
 * After a number of failures each one is followed by a wait, twice as long as the one before, up to a maximum: no
 * account is locked permanently. Concurrent attempts each take their own number, so that they do not outrun sequential
 * ones.
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
        // A sign-in to one account does not clear failures for other accounts from the same address.
        succeeded: async () => void (await Promise.all([account.forget(), place.giveBack()])),
        failed: async () => void (await Promise.all([account.keep(), place.keep()])),
      };
    },
  };
}

/** Failures so far: their number, and the time of the last; numbers belong to a series until the counter is cleared. */
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

  /** Throws TooManyAttempts during a wait. */
  async look(): Promise<void> {
    const failures = (await this.#counts.get(this.#key)) as Failures | undefined; // only this class writes it
    if (failures !== undefined) this.#require(failures);
  }

  /** Takes the number of the next attempt; throws TooManyAttempts during a wait. */
  async take(): Promise<void> {
    const fresh: Failures = { series: randomUUID(), count: 0, at: 0 };
    // only this class writes it
    let failures = (await this.#counts.put(this.#key, fresh, { expires: this.#until, ifAbsent: true })) as Failures;
    for (;;) {
      this.#require(failures);
      const attempt = { id: randomUUID(), at: this.#now() };
      const { series, count } = failures;
      const key = this.#numberKey({ series, count: count + 1 });
      // only this class writes it
      const there = (await this.#counts.put(key, attempt, { expires: this.#until, ifAbsent: true })) as typeof attempt;
      failures = { series, count: count + 1, at: there.at };
      if (there.id === attempt.id) break;
    }
    this.#taken = failures;
  }

  /** The attempt failed. */
  async keep(): Promise<void> {
    await this.#counts.put(this.#key, this.#taken, { expires: this.#until });
  }

  /** The attempt does not count. */
  async giveBack(): Promise<void> {
    if (this.#taken !== undefined) await this.#counts.delete(this.#numberKey(this.#taken));
  }

  /** Starts counting again. */
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
