import type { Collection, Db, Document, Long, MongoClient } from 'mongodb';
import { keyOf, putImages, type Image } from './targets.ts';

/** A document of a database as it is to be after a crash. */
interface Kept {
  readonly _id: string;
  readonly database: string;
  readonly collection: string;
  readonly id: unknown;
  readonly document: Document | null;
  /** `_id` of the transaction that made it what it is now. */
  readonly transaction: string;
}

/** The last committed transaction or retryable write of a session, like the server's own `config.transactions`. */
interface Committed {
  readonly _id: string;
  readonly number: Long;
  /** The reply to a retryable write. */
  readonly reply?: Document;
}

const toDisk = { writeConcern: { w: 1, journal: true } } as const;

/**
 * What a crash has to undo: documents of transactions that are not committed stand in the engine while these read or
 * write. The engine's journal keeps the order of writes, so that an image that is written first survives whatever
 * survives of the change.
 */
export class Undo {
  readonly #client: MongoClient;
  readonly #kept: Collection<Kept>;
  readonly #committed: Collection<Committed>;

  constructor(client: MongoClient) {
    this.#client = client;
    this.#kept = client.db('bridge').collection('undo');
    this.#committed = client.db('bridge').collection('committed');
  }

  /** Keeps images of documents that a transaction is about to change. */
  async keep(database: Db, transaction: string, images: readonly Image[]): Promise<void> {
    if (images.length === 0) return;
    const kept = images.map(image => ({
      _id: `${database.databaseName} ${keyOf(image)}`,
      database: database.databaseName,
      ...image,
      transaction,
    }));
    await this.#kept.insertMany(kept);
  }

  /** Forgets all of a database, whose documents are what they should be. */
  async forget(database: Db): Promise<void> {
    await this.#kept.deleteMany({ database: database.databaseName });
  }

  /** From now on the transaction is committed, and a crash keeps its changes. */
  async commit(session: string, number: Long): Promise<void> {
    await this.#committed.replaceOne({ _id: session }, { number }, { upsert: true, ...toDisk });
  }

  /** The same for a retryable write, whose images are no longer needed. */
  async remember(session: string, number: Long, reply: Document): Promise<void> {
    await this.#committed.replaceOne({ _id: session }, { number, reply }, { upsert: true, ...toDisk });
    await this.#kept.deleteMany({ transaction: transactionId(session, number) });
  }

  /** The reply to a retryable write, if it was done before. */
  async replyTo(session: string, number: Long): Promise<Document | undefined> {
    const last = await this.#committed.findOne({ _id: session });
    return last?.number.equals(number) === true ? last.reply : undefined;
  }

  async wasCommitted(session: string, number: Long): Promise<boolean> {
    const last = await this.#committed.findOne({ _id: session });
    return last?.number.equals(number) === true;
  }

  /** Undoes, after a start, what a crash has left. */
  async recover(): Promise<void> {
    const committed = await this.#committed.find().toArray();
    const done = new Set(committed.map(({ _id, number }) => transactionId(_id, number)));
    const left = (await this.#kept.find().toArray()).filter(({ transaction }) => !done.has(transaction));
    for (const [name, images] of Map.groupBy(left, ({ database }) => database))
      await putImages(this.#client.db(name), images);
    await this.#kept.deleteMany({}, toDisk);
  }
}

/** One text for a transaction: the sessions and its number there. */
export const transactionId = (session: string, number: Long): string => `${session} ${number.toString()}`;
