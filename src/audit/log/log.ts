import { randomBytes } from 'node:crypto';
import { verifyChains } from '../../store/audit/verify.ts';
import type { AuditDamage } from '../../store/audit/verify.ts';
import { chainName, dayOf, parseLine, printLines } from '../../store/audit/line.ts';
import type {
  AuditEntry,
  AuditFilter,
  AuditRecord,
  ChainPlace,
  Link,
  OpenChain,
  PrintedEvent,
} from '../../store/audit/line.ts';
import type { Refusal } from '../refusal.ts';
import type { UnavailableReason } from '../../store/port/errors.ts';

/** Where audit events are appended. */
export interface AuditSink {
  /** Durable when it resolves. If it throws, some events may be stored: appending them again stores those twice. */
  append(events: readonly (AuditEntry | PrintedEvent)[]): Promise<void>;
  /**
   * Takes the event of a write that is about to be submitted: durable before that write, which fails otherwise, and
   * sent with it. Undefined: the event has to be appended before.
   */
  hold?(event: AuditEntry): void;
  /** Why the events of other processes of this server cannot be stored; undefined if they can, or if there are none. */
  readonly failing?: UnavailableReason | undefined;
  /** Another process reports to the operator why events cannot be stored. */
  readonly isReported?: boolean;
  /** Counts a refusal with those of the other processes; undefined: this process counts its own. */
  refused?(refusal: Refusal): void;
}

/**
 * An append-only log of audit events, from which whole days can be pruned; test/audit/contract.ts defines its
 * behaviour.
 */
export interface AuditLog extends AuditSink {
  /** The events that match the filter, in the order of their time (as precisely as the clocks of processes agree). */
  list(filter?: AuditFilter): AsyncIterable<AuditEntry>;
  /** Deletes the whole days (UTC) before a time in milliseconds since 1970 UTC; returns the number of events. */
  prune(before: number): Promise<number>;
  /** Findings of events that were altered or removed: a digest chains each to the one before. */
  verify(): AsyncIterable<AuditDamage>;
}

const day = 86_400_000;
/** A new chain names the ends of this many others: a removed chain is detected while one of these exists. */
const linked = 32;

interface Writing {
  readonly chain: OpenChain;
  readonly name: string;
  /** Number of the next line. */
  n: number;
  hash: string;
}

interface WaitingEvents {
  readonly records: readonly AuditRecord[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * An audit log of chains: one for each process and day (UTC), begun with its first event. Events that arrive during a
 * write are written together with the next one, so that many share one flush. After a failure a new chain begins, since
 * the end of the old one is unknown.
 */
export class ChainedLog implements AuditLog {
  readonly #place: ChainPlace;
  readonly #now: () => number;
  #writing: Writing | undefined;
  #waiting: WaitingEvents[] = [];
  #work: Promise<void> | undefined;
  #closed = false;

  /** `now`: milliseconds since 1970 UTC. */
  constructor(place: ChainPlace, now: () => number) {
    this.#place = place;
    this.#now = now;
  }

  async append(events: readonly (AuditEntry | PrintedEvent)[]): Promise<void> {
    if (events.length > 0) await this.#add(events);
  }

  async *list(filter: AuditFilter = {}): AsyncIterable<AuditEntry> {
    const { since = -Infinity, until = Infinity } = filter;
    // The chain of a day may begin with events of the end of the day before, and end a moment after its day.
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
      events += last?.n ?? 0; // the first line, of number 0, is not an event
    }
    return events;
  }

  verify(): AsyncIterable<AuditDamage> {
    return verifyChains(this.#place);
  }

  /** Waits for the current write; further events are rejected. To be called before the store is closed. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#work !== undefined) await this.#work;
    await this.#leave().catch(() => undefined); // all lines are durable, or their callers got the error
  }

  async *#entries(chain: string, filter: AuditFilter): AsyncIterable<AuditEntry> {
    for await (const { text, whole } of this.#place.lines(chain, filter)) {
      const entry = whole ? parseLine(text)?.entry : undefined;
      if (entry !== undefined && matchesFilter(filter, entry)) yield entry;
    }
  }

  #add(records: readonly AuditRecord[]): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The audit log is closed'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ records, resolve, reject });
    this.#work ??= this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // events of the same turn are written with the first
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

  /** Otherwise each attempt on a full disk would leave one, and the last ones would not name the chains before them. */
  async #removeEmpty(chain: string): Promise<void> {
    if ((await this.#place.last(chain)) === undefined) await this.#place.remove(chain);
  }

  /** The current ends of the last chains. */
  async #ends(): Promise<readonly Link[]> {
    const names = (await this.#place.chains()).slice(-linked);
    const lines = await Promise.all(
      names.map(async chain => ({ chain, line: parseLine((await this.#place.last(chain)) ?? '') })),
    );
    return lines.flatMap(({ chain, line }) => (line === undefined ? [] : [{ chain, n: line.n, hash: line.hash }]));
  }

  async #leave(): Promise<void> {
    const { chain } = this.#writing ?? {};
    this.#writing = undefined;
    await chain?.close();
  }
}

const startOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);

/** Whether an event matches all conditions of a filter. */
function matchesFilter({ partition, client, patient, since, until }: AuditFilter, entry: AuditEntry): boolean {
  return (
    (partition === undefined || entry.partition === partition) &&
    (client === undefined || entry.client === client) &&
    (patient === undefined || entry.patients.includes(patient)) &&
    (since === undefined || entry.recorded >= since) &&
    (until === undefined || entry.recorded < until)
  );
}

/** Merges several sources, each in the order of time, in the order of time. */
async function* inOrder(sources: readonly AsyncIterable<AuditEntry>[]): AsyncIterable<AuditEntry> {
  const iterators = sources.map(source => source[Symbol.asyncIterator]());
  try {
    let heads = await Promise.all(iterators.map(async iterator => ({ iterator, next: await iterator.next() })));
    for (;;) {
      heads = heads.filter(({ next }) => next.done !== true);
      const [first, ...others] = heads;
      if (first === undefined) return;
      const least = others.reduce((a, b) => (time(b.next) < time(a.next) ? b : a), first);
      yield least.next.value as AuditEntry; // finished sources have been removed
      least.next = await least.iterator.next();
    }
  } finally {
    for (const iterator of iterators) await iterator.return?.();
  }
}

const time = ({ value }: IteratorResult<AuditEntry, unknown>): number => (value as AuditEntry).recorded;
