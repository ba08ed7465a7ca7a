import { BSON, type Document } from 'mongodb';
import { Refusal } from './errors.ts';

/** The same for all replies: time stands still, since nothing here depends on it. */
const time = new BSON.Timestamp({ t: 1_700_000_000, i: 1 });

/**
 * Fields of each reply of a replica set. A signature of zeros is what a server without users sends.
 * https://www.mongodb.com/docs/manual/reference/method/db.runCommand/#response
 */
export const clusterTime: Document = {
  operationTime: time,
  $clusterTime: {
    clusterTime: time,
    signature: { hash: new BSON.Binary(Buffer.alloc(20)), keyId: BSON.Long.ZERO },
  },
};

/** Who is the primary: one engine, on one port at a time. */
export class ReplicaSet {
  readonly #ports: number[] = [];
  #term = 1;
  /** Whether it looks like a single server, for tests of refusals. */
  isSingle = false;

  /** Adds a member; the last one is the primary. */
  addMember(port: number): void {
    this.#ports.push(port);
    this.#term += 1;
  }

  isPrimary(port: number): boolean {
    return this.#ports.at(-1) === port;
  }

  /** What `hello` says at a port. https://www.mongodb.com/docs/manual/reference/command/hello/ */
  hello(port: number, engine: Document): Document {
    const primary = this.isPrimary(port);
    const address = (of: number): string => `127.0.0.1:${of}`;
    // Without it, a driver asks again and again, and does not wait for one long answer.
    delete engine['topologyVersion'];
    if (this.isSingle) return engine;
    return {
      ...engine,
      helloOk: true,
      /** By it tests know that all of this is simulated. */
      bridge: true,
      ismaster: primary,
      isWritablePrimary: primary,
      secondary: !primary,
      setName: 'rs0',
      setVersion: new BSON.Int32(1),
      electionId: BSON.ObjectId.createFromHexString(this.#term.toString(16).padStart(24, '0')),
      hosts: this.#ports.map(address),
      primary: address(this.#ports.at(-1) ?? port),
      me: address(port),
      logicalSessionTimeoutMinutes: new BSON.Int32(30),
    };
  }
}

/** https://www.mongodb.com/docs/manual/reference/error-codes/#mongodb-error-10107 */
export const notPrimary = (): Refusal =>
  new Refusal(10_107, 'NotWritablePrimary', 'not primary', 'RetryableWriteError', 'TransientTransactionError');
