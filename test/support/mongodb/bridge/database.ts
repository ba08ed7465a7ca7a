import type { Db, Long } from 'mongodb';
import { noSuchTransaction, notInTransaction, writeConflict } from './errors.ts';
import { Lock } from './lock.ts';
import { commandOf, replyOf, type Request } from './messages.ts';
import { collectionsOf, type Images, imagesOf, keyOf, putImages, type Target } from './targets.ts';
import { targetsOf, upserted, writes } from './targets.ts';
import { transactionId, type Undo } from './undo.ts';

/** Sends a request to the engine, without what only a replica set understands. */
export type Forward = () => Promise<Buffer>;

/** https://www.mongodb.com/docs/manual/core/transactions-operations/ */
const allowed: ReadonlySet<string> = new Set([...writes, 'find', 'aggregate', 'getMore', 'killCursors', 'distinct']);
const refusedStages: ReadonlySet<string> = new Set(
  '$collStats $currentOp $indexStats $listSessions $merge $out $planCacheStats $unionWith'.split(' '),
);
const reads: ReadonlySet<string> = new Set(['find', 'aggregate', 'getMore', 'distinct', 'count', 'explain']);

/** https://www.mongodb.com/docs/manual/core/transactions-production-consideration/#runtime-limit */
const longest = 60_000;

interface Transaction {
  readonly session: string;
  readonly number: Long;
  /** What it has changed: as it was before. */
  readonly before: Images;
  /** The same as it has left it, known whenever it is set aside. */
  after: Images;
  /** What others have committed since it began: as it was before, which it goes on to see. */
  readonly hidden: Images;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

/**
 * The transactions of a database, on an engine that has none. One transaction at a time is *shown*: the engine holds
 * the documents as that one sees them. Before another command needs them, it is set aside: the engine holds what is
 * committed again. While one is open, commands of the database run one by one.
 */
export class Database {
  readonly #database: Db;
  readonly #undo: Undo;
  readonly #lock = new Lock();
  readonly #open = new Map<string, Transaction>();
  #shown: Transaction | undefined;
  /** As committed: what showing one has replaced. */
  #committed: Images = new Map();

  constructor(database: Db, undo: Undo) {
    this.#database = database;
    this.#undo = undo;
  }

  get name(): string {
    return this.#database.databaseName;
  }

  /** Begins a transaction, which sees what is committed now. */
  begin(session: string, number: Long): Promise<void> {
    return this.#lock.alone(async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(() => void this.abort(session), longest).unref();
      const end = (): void => {
        clearTimeout(limit);
        this.#open.delete(session);
        resolve();
      };
      const nothing = { before: new Map(), after: new Map(), hidden: new Map() };
      this.#open.set(session, { session, number, ...nothing, ended: promise, end });
    });
  }

  /** Runs a command of no transaction. */
  async run(name: string, request: Request, forward: Forward): Promise<Buffer> {
    if (!writes.has(name) && !reads.has(name)) return this.#runOther(name, forward);
    for (;;) {
      const reply =
        this.#open.size === 0
          ? await this.#lock.share(async () => (this.#open.size === 0 ? forward() : undefined))
          : await this.#lock.alone(() => this.#runBeside(name, request, forward));
      if (Buffer.isBuffer(reply)) return reply;
      // A write waits for the end of a transaction that has changed its document.
      // https://www.mongodb.com/docs/manual/core/transactions-production-consideration/#in-progress-transactions-and-write-conflicts
      await reply?.ended;
    }
  }

  /** Runs a retryable write so that a kill leaves it undone, or done and its reply remembered. */
  async runOnce(name: string, request: Request, forward: Forward, session: string, number: Long): Promise<Buffer> {
    for (;;) {
      const reply = await this.#lock.alone(async () => {
        await this.#setAside();
        const targets = await targetsOf(this.#database, name, commandOf(request));
        const images = await imagesOf(this.#database, targets);
        await this.#undo.keep(this.#database, transactionId(session, number), [...images.values()]);
        const done = await this.#runBeside(name, request, forward);
        await (Buffer.isBuffer(done)
          ? this.#undo.remember(session, number, replyOf(done))
          : this.#undo.forget(this.#database));
        return done;
      });
      if (Buffer.isBuffer(reply)) return reply;
      await reply.ended;
    }
  }

  /** Runs a command of a transaction, which any error ends. Throws `Refusal`. */
  runInTransaction(session: string, name: string, request: Request, forward: Forward): Promise<Buffer> {
    return this.#lock.alone(async () => {
      const transaction = this.#open.get(session);
      if (transaction === undefined) throw noSuchTransaction();
      try {
        if (!allowed.has(name)) throw notInTransaction(name);
        const stages = name === 'aggregate' ? ((commandOf(request)['pipeline'] ?? []) as readonly object[]) : [];
        const [refused] = stages.flatMap(stage => Object.keys(stage)).filter(stage => refusedStages.has(stage));
        if (refused !== undefined) throw notInTransaction(refused);
        await this.#show(transaction);
        if (!writes.has(name)) return await forward();
        const command = commandOf(request);
        await this.#claim(transaction, await targetsOf(this.#database, name, command));
        const reply = await forward();
        const said = replyOf(reply);
        if (Number(said['ok']) !== 1 || said['writeErrors'] !== undefined) await this.#abort(transaction);
        else for (const target of upserted(name, command, said)) await this.#claimAdded(transaction, target);
        return reply;
      } catch (error) {
        await this.#abort(transaction);
        throw error;
      }
    });
  }

  /** Commits. Throws `Refusal`, after which nothing of it is left. */
  commit(session: string): Promise<void> {
    return this.#lock.alone(async () => {
      const transaction = this.#open.get(session);
      if (transaction === undefined) throw noSuchTransaction();
      const { before, hidden, number } = transaction;
      if (before.size > 0) {
        try {
          if (this.#shown !== transaction || hidden.size > 0) {
            await this.#setAside();
            hidden.clear();
            await this.#show(transaction);
          }
        } catch {
          // It has a unique value that another has committed since it began.
          await this.#abort(transaction);
          throw writeConflict();
        }
        await this.#undo.commit(session, number);
        await this.#undo.forget(this.#database);
        this.#committed = new Map();
        this.#shown = undefined;
        this.#hideFromOthers(transaction, before);
      } else if (this.#shown === transaction) await this.#restore();
      transaction.end();
    });
  }

  /** Aborts a transaction if it is open. */
  abort(session: string): Promise<void> {
    return this.#lock.alone(async () => {
      const transaction = this.#open.get(session);
      if (transaction !== undefined) await this.#abort(transaction);
    });
  }

  /** Aborts all, as a step-down does. */
  async abortAll(): Promise<void> {
    for (const session of this.#open.keys()) await this.abort(session);
  }

  async #runOther(name: string, forward: Forward): Promise<Buffer> {
    if (name === 'dropDatabase') await this.abortAll();
    return forward();
  }

  /** Runs a command while transactions are open; returns the one that it has to wait for. */
  async #runBeside(name: string, request: Request, forward: Forward): Promise<Buffer | Transaction> {
    const command = commandOf(request);
    if (!writes.has(name)) {
      const touched = collectionsOf(name, command);
      const isShown = [...this.#committed.values()].some(({ collection }) => touched.has(collection));
      if (isShown || name === 'explain') await this.#setAside();
      return forward();
    }
    await this.#setAside();
    const targets = await targetsOf(this.#database, name, command);
    const other = this.#writerOf(targets);
    if (other !== undefined) return other;
    const before = await imagesOf(this.#database, targets);
    const reply = await forward();
    for (const target of upserted(name, command, replyOf(reply)))
      if (!before.has(keyOf(target))) before.set(keyOf(target), { ...target, document: null });
    this.#hideFromOthers(undefined, before);
    return reply;
  }

  #writerOf(targets: readonly Target[], but?: Transaction): Transaction | undefined {
    const keys = targets.map(keyOf);
    return this.#open.values().find(one => one !== but && keys.some(key => one.before.has(key)));
  }

  /** The open transactions go on to see what was there when they began. */
  #hideFromOthers(committed: Transaction | undefined, before: Images): void {
    for (const other of this.#open.values())
      if (other !== committed)
        for (const [key, image] of before)
          if (!other.hidden.has(key) && !other.before.has(key)) other.hidden.set(key, image);
  }

  /** Notes what a transaction is about to change. Throws `Refusal` where another has changed it, or will. */
  async #claim(transaction: Transaction, targets: readonly Target[]): Promise<void> {
    if (this.#writerOf(targets, transaction) !== undefined) throw writeConflict();
    if (targets.some(target => transaction.hidden.has(keyOf(target)))) throw writeConflict();
    const added = targets.filter(target => !transaction.before.has(keyOf(target)));
    if (added.length === 0) return;
    const images = await imagesOf(this.#database, added);
    await this.#undo.keep(this.#database, transactionId(transaction.session, transaction.number), [...images.values()]);
    for (const [key, image] of images) {
      transaction.before.set(key, image);
      this.#committed.set(key, image);
    }
  }

  async #claimAdded(transaction: Transaction, target: Target): Promise<void> {
    const key = keyOf(target);
    if (transaction.before.has(key)) return;
    const image = { ...target, document: null };
    await this.#undo.keep(this.#database, transactionId(transaction.session, transaction.number), [image]);
    transaction.before.set(key, image);
    this.#committed.set(key, image);
  }

  async #show(transaction: Transaction): Promise<void> {
    if (this.#shown === transaction) return;
    await this.#setAside();
    this.#shown = transaction;
    const seen: Images = new Map([...transaction.hidden, ...transaction.after]);
    if (seen.size === 0) return;
    const committed = await imagesOf(this.#database, [...seen.values()]);
    const id = transactionId(transaction.session, transaction.number);
    await this.#undo.keep(this.#database, id, [...committed.values()]);
    this.#committed = committed;
    await putImages(this.#database, seen.values());
  }

  async #setAside(): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined) return;
    shown.after = await imagesOf(this.#database, [...shown.before.values()]);
    await this.#restore();
  }

  async #abort(transaction: Transaction): Promise<void> {
    if (this.#shown === transaction) await this.#restore();
    transaction.end();
  }

  async #restore(): Promise<void> {
    if (this.#committed.size > 0) {
      await putImages(this.#database, this.#committed.values());
      await this.#undo.forget(this.#database);
    }
    this.#committed = new Map();
    this.#shown = undefined;
  }
}
