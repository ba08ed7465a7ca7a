import { randomBytes } from 'node:crypto';
import type { AuditDamage } from './verify.ts';
import type { AuditEntry, AuditFilter } from './entry.ts';
import { inOrder, lets } from './list.ts';
import { parseLine, printLines } from './line.ts';
import { chainName, dayOf } from './place.ts';
import type { ChainPlace, OpenChain } from './place.ts';
import type { AuditRecord, Link } from './record.ts';
import { verifyChains } from './verify.ts';

/** Events of who did what, to which nothing is done but adding, and dropping whole days; test/audit/contract.ts is its meaning. */
export interface AuditLog {
  /** Durable when it resolves. Where it throws, some may be kept: to append them again keeps those twice. */
  append(events: readonly AuditEntry[]): Promise<void>;
  /** Those that the filter lets through, in the order of their time (as near as processes agree on it). */
  list(filter?: AuditFilter): AsyncIterable<AuditEntry>;
  /** Drops the whole days (UTC) before a time in milliseconds since 1970 UTC; gives how many events that were. */
  prune(before: number): Promise<number>;
  /** What shows that events were altered or removed: each is chained to the one before by a digest. */
  verify(): AsyncIterable<AuditDamage>;
}

const day = 86_400_000;
/** A chain names the ends of so many others when it begins: a removed one is missed while one of these stands. */
const linked = 32;

interface Writing {
  readonly chain: OpenChain;
  readonly name: string;
  /** Of the line to come. */
  n: number;
  hash: string;
}

interface Waiting {
  readonly records: readonly AuditRecord[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An audit log of chains: one for each process and day (UTC), begun with its first event. What comes while others are being
 * written is written with the next, so that many wait for the disk once. After a failure a new chain begins, since nobody knows
 * how the old one ends.
 */
export class ChainedLog implements AuditLog {
  readonly #place: ChainPlace;
  readonly #now: () => number;
  #writing: Writing | undefined;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;
  #closed = false;

  /** `now`: milliseconds since 1970 UTC. */
  constructor(place: ChainPlace, now: () => number) {
    this.#place = place;
    this.#now = now;
  }

  async append(events: readonly AuditEntry[]): Promise<void> {
    if (events.length > 0) await this.#add(events);
  }

  async *list(filter: AuditFilter = {}): AsyncIterable<AuditEntry> {
    const { since = -Infinity, until = Infinity } = filter;
    // A chain of a day holds events of the end of the day before, and may end a moment after its day.
    const chains = (await this.#place.chains()).filter(
      chain => startOf(dayOf(chain)) + 2 * day > since && startOf(dayOf(chain)) - day < until,
    );
    const days = Map.groupBy(chains, dayOf);
    for (const ofDay of days.values()) {
      for await (const entry of inOrder(ofDay.map(chain => this.#entries(chain, filter)))) yield entry;
    }
  }

  async prune(before: number): Promise<number> {
    const first = new Date(Math.min(before, this.#now())).toISOString().slice(0, 10);
    const old = (await this.#place.chains()).filter(chain => dayOf(chain) < first);
    if (old.length === 0) return 0;
    await this.#add([{ pruned: first }]);
    let events = 0;
    for (const chain of old) {
      const last = parseLine((await this.#place.last(chain)) ?? '');
      await this.#place.remove(chain);
      events += last?.n ?? 0; // the first line, of number 0, is no event
    }
    return events;
  }

  verify(): AsyncIterable<AuditDamage> {
    return verifyChains(this.#place);
  }

  /** Waits for what is being written; no more is taken. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#work !== undefined) await this.#work;
    await this.#leave();
  }

  async *#entries(chain: string, filter: AuditFilter): AsyncIterable<AuditEntry> {
    for await (const { text, whole } of this.#place.lines(chain, filter)) {
      const entry = whole ? parseLine(text)?.entry : undefined;
      if (entry !== undefined && lets(filter, entry)) yield entry;
    }
  }

  #add(records: readonly AuditRecord[]): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The store is closed'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ records, resolve, reject });
    this.#work ??= this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // what comes in the same turn is written with the first
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch.flatMap(({ records }) => records));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        await this.#leave().catch(() => undefined);
        for (const { reject } of batch) reject(error);
      }
    }
    this.#work = undefined;
  }

  async #write(records: readonly AuditRecord[]): Promise<void> {
    const writing = await this.#chain();
    const { lines, hash } = printLines(writing.n, writing.hash, records);
    await writing.chain.write(writing.n, lines);
    writing.n += lines.length;
    writing.hash = hash;
  }

  /** The chain of today. */
  async #chain(): Promise<Writing> {
    const now = this.#now();
    if (this.#writing !== undefined && dayOf(this.#writing.name) === dayOf(chainName(now, ''))) return this.#writing;
    await this.#leave();
    const before = await this.#ends();
    const name = chainName(now, randomBytes(4).toString('hex'));
    const chain = await this.#place.begin(name);
    const { lines, hash } = printLines(0, '', [{ before }]);
    this.#writing = { chain, name, n: 1, hash };
    try {
      await chain.write(0, lines);
    } catch (error) {
      await this.#leave().catch(() => undefined);
      await this.#removeEmpty(name).catch(() => undefined);
      throw error;
    }
    return this.#writing;
  }

  /** While a disk is full there would be one for each attempt, so that none of the last would tell of those before. */
  async #removeEmpty(chain: string): Promise<void> {
    if ((await this.#place.last(chain)) === undefined) await this.#place.remove(chain);
  }

  /** Where the last chains end now. */
  async #ends(): Promise<readonly Link[]> {
    const names = (await this.#place.chains()).slice(-linked);
    const lines = await Promise.all(names.map(async chain => ({ chain, line: parseLine((await this.#place.last(chain)) ?? '') }))); // prettier-ignore
    return lines.flatMap(({ chain, line }) => (line === undefined ? [] : [{ chain, n: line.n, hash: line.hash }]));
  }

  async #leave(): Promise<void> {
    const { chain } = this.#writing ?? {};
    this.#writing = undefined;
    await chain?.close();
  }
}

const startOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
