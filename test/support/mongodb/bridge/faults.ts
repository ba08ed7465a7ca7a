import { BSON, type Document } from 'mongodb';

/** What tests ask to go wrong, by `{ bridgeFault: { … } }` in the database `admin`. */
export interface Fault {
  /** The name of the command, such as `commitTransaction`. */
  readonly on: string;
  /** Only where the command, or its transaction, is of this database: several tests share an engine. */
  readonly database: string;
  /** Before the command is carried out, which then is not, or after. */
  readonly when: 'before' | 'after';
  /**
   * `cut`: the connection is closed. `kill`: the engine is killed, with all that it did. `abort`: the transaction is
   * aborted, and the connection closed. `error`: the reply is `reply`. `majority`: the reply says that the majority did
   * not acknowledge it in time.
   */
  readonly does: 'cut' | 'kill' | 'abort' | 'error' | 'majority';
  readonly reply?: Document;
  /** How many commands pass before: 0 by default. */
  readonly skip?: number;
  /** How often it happens: once by default. */
  readonly times?: number;
}

/** The faults that are to happen. */
export class Faults {
  #left: { readonly fault: Fault; skip: number; times: number }[] = [];

  /** Adds one; without an `on`, those of the database are forgotten. */
  add(fault: Fault): void {
    if (fault.on === undefined)
      this.#left = this.#left.filter(({ fault: { database } }) => database !== fault.database);
    else this.#left.push({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 });
  }

  /** The fault that happens to this command now. */
  take(on: string, database: string): Fault | undefined {
    if (this.#left.length === 0) return undefined;
    const next = this.#left.find(({ fault }) => fault.on === on && fault.database === database);
    if (next === undefined) return undefined;
    if (next.skip > 0) {
      next.skip -= 1;
      return undefined;
    }
    next.times -= 1;
    if (next.times === 0) this.#left.splice(this.#left.indexOf(next), 1);
    return next.fault;
  }
}

/** https://www.mongodb.com/docs/manual/reference/write-concern/#wtimeout */
export const majorityMissing: Document = {
  writeConcernError: {
    code: new BSON.Int32(64),
    codeName: 'WriteConcernTimeout',
    errmsg: 'waiting for replication timed out',
    errInfo: { wtimeout: true },
  },
};
