import { once } from 'node:events';
import net from 'node:net';
import type { Socket } from 'node:net';
import { BSON, Long, type Document, type MongoClient } from 'mongodb';
import { Database } from './database.ts';
import { noSuchTransaction, Refusal } from './errors.ts';
import { type Fault, Faults, majorityMissing } from './faults.ts';
import { commandOf, extendReply, fieldsOf, messagesOf, parseExact, parseRequest } from './messages.ts';
import { type Element, replyOf, replyTo, type Request, withElements } from './messages.ts';
import { clusterTime, notPrimary, ReplicaSet } from './replica-set.ts';
import { writes } from './targets.ts';
import type { Undo } from './undo.ts';

/** What the engine, being a single server, does not take. */
const ofReplicaSet: ReadonlySet<string> = new Set([
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  '$clusterTime',
  'readConcern',
  'writeConcern',
]);
const hellos: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster']);
const ofSessions: ReadonlySet<string> = new Set(['endSessions', 'killSessions', 'refreshSessions']);
const always = fieldsOf(clusterTime);

/** A cut that a test asked for. */
class Cut extends Error {}

/** A client's request, with the fields that decide what becomes of it. */
interface Call {
  readonly request: Request;
  readonly name: string;
  readonly database: string;
  readonly session: string;
  readonly number: Long | undefined;
  readonly inTransaction: boolean;
  readonly starts: boolean;
}

/** Makes one engine look like the primary of a replica set. */
export class Bridge {
  readonly members = new ReplicaSet();
  readonly #client: MongoClient;
  readonly #socketPath: string;
  readonly #undo: Undo;
  readonly #addMember: () => Promise<void>;
  readonly #faults = new Faults();
  readonly #databases = new Map<string, Database>();
  /** The open transactions, by session. */
  readonly #transactions = new Map<string, { readonly number: Long; readonly database: Database }>();
  /** The last retryable write of each session. https://www.mongodb.com/docs/manual/core/retryable-writes/ */
  readonly #written = new Map<string, { readonly number: Long; readonly reply: Promise<Buffer> }>();

  /** `addMember` opens another port, whose member then is the primary. */
  constructor(client: MongoClient, socketPath: string, undo: Undo, addMember: () => Promise<void>) {
    this.#client = client;
    this.#socketPath = socketPath;
    this.#undo = undo;
    this.#addMember = addMember;
  }

  /** Serves a connection of a client until one of both ends it. */
  async serve(client: Socket, port: () => number): Promise<void> {
    const engine = net.connect(this.#socketPath);
    const drop = (): void => {
      client.destroy();
      engine.destroy();
    };
    for (const end of [client, engine]) end.on('error', drop).on('close', drop);
    const replies = messagesOf(engine)[Symbol.asyncIterator]();
    const send = async (message: Buffer, hasReply: boolean): Promise<Buffer> => {
      engine.write(message);
      if (!hasReply) return Buffer.alloc(0);
      const { value, done } = await replies.next();
      if (done === true) throw new Cut();
      return value;
    };
    try {
      for await (const whole of messagesOf(client)) {
        const reply = await this.#answer(parseRequest(whole), port(), send);
        if (reply.length > 0 && !client.write(reply)) await once(client, 'drain');
      }
    } catch (error) {
      if (!(error instanceof Cut) && !client.destroyed) console.error(error);
    } finally {
      drop();
    }
  }

  async #answer(request: Request, port: number, send: Send): Promise<Buffer> {
    const call = callOf(request);
    const { name } = call;
    const forward = (): Promise<Buffer> => send(forEngine(call), request.hasReply);
    try {
      if (hellos.has(name)) return replyTo(request, this.members.hello(port, replyOf(await forward())));
      const own = await this.#answerItself(call);
      if (own !== undefined) return replyTo(request, { ok: 1, ...own, ...clusterTime });
      if (!this.members.isPrimary(port) && name !== 'ping') throw notPrimary();
      const reply = await this.#withFaults(call, () => this.#carryOut(call, forward));
      return reply.length === 0 ? reply : extendReply(request, reply, always);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return replyTo(request, { ...error.reply, ...clusterTime });
    }
  }

  /** Commands of tests, the step-down, and those on sessions, of which the engine has none. */
  async #answerItself({ name, request }: Call): Promise<Document | undefined> {
    if (name === 'bridgeFault') {
      this.#faults.add(BSON.deserialize(BSON.serialize(commandOf(request)))['bridgeFault'] as Fault);
      return {};
    }
    if (name === 'bridgeSingle') {
      this.members.isSingle = commandOf(request)['bridgeSingle'] === true;
      return {};
    }
    if (name === 'replSetStepDown') {
      await this.#addMember();
      for (const database of this.#databases.values()) await database.abortAll();
      return {};
    }
    if (!ofSessions.has(name)) return undefined;
    if (name !== 'refreshSessions')
      for (const lsid of commandOf(request)[name] as readonly Document[]) await this.#endSession(sessionKey(lsid));
    return {};
  }

  async #endSession(session: string): Promise<void> {
    await this.#transactions.get(session)?.database.abort(session);
    this.#transactions.delete(session);
    this.#written.delete(session);
  }

  async #withFaults(call: Call, work: () => Promise<Buffer>): Promise<Buffer> {
    const database = call.inTransaction
      ? (this.#transactions.get(call.session)?.database.name ?? call.database)
      : call.database;
    const fault = this.#faults.take(call.name, database);
    if (fault === undefined) return work();
    const reply = fault.when === 'after' ? await work() : undefined;
    if (fault.does === 'abort') await this.#transactions.get(call.session)?.database.abort(call.session);
    if (fault.does === 'cut' || fault.does === 'abort') throw new Cut();
    if (fault.does === 'error') return replyTo(call.request, { ok: 0, ...fault.reply });
    return extendReply(call.request, reply ?? (await work()), fieldsOf(majorityMissing));
  }

  async #carryOut(call: Call, forward: () => Promise<Buffer>): Promise<Buffer> {
    const { name, request, number } = call;
    if (call.inTransaction) return this.#inTransaction(call, forward);
    const database = this.#database(call.database);
    if (number === undefined) return database.run(name, request, forward);
    // A retryable write: the second request gets the reply to the first. A restart forgets it.
    const earlier = this.#written.get(call.session);
    if (earlier?.number.equals(number) === true) return earlier.reply;
    const reply = database.run(name, request, forward);
    this.#written.set(call.session, { number, reply });
    reply.catch(() => this.#written.delete(call.session));
    return reply;
  }

  async #inTransaction(call: Call, forward: () => Promise<Buffer>): Promise<Buffer> {
    const { name, session, number = Long.ZERO, request } = call;
    if (call.starts) {
      // A new transaction of a session ends the one before.
      await this.#transactions.get(session)?.database.abort(session);
      const database = this.#database(call.database);
      await database.begin(session, number);
      this.#transactions.set(session, { number, database });
    }
    const open = this.#transactions.get(session);
    if (name === 'commitTransaction' || name === 'abortTransaction') {
      if (open?.number.equals(number) !== true) {
        // A commit may be asked for again, also after a restart.
        if (name === 'commitTransaction' && (await this.#undo.wasCommitted(session, number)))
          return replyTo(request, { ok: 1 });
        throw noSuchTransaction();
      }
      this.#transactions.delete(session);
      await (name === 'commitTransaction' ? open.database.commit(session) : open.database.abort(session));
      return replyTo(request, { ok: 1 });
    }
    if (open?.number.equals(number) !== true || open.database.name !== call.database) throw noSuchTransaction();
    return open.database.runInTransaction(session, name, request, forward);
  }

  #database(name: string): Database {
    const known = this.#databases.get(name) ?? new Database(this.#client.db(name), this.#undo);
    this.#databases.set(name, known);
    return known;
  }
}

type Send = (message: Buffer, hasReply: boolean) => Promise<Buffer>;

const sessionKey = (lsid: Document): string => Buffer.from(BSON.serialize({ id: lsid['id'] })).toString('base64');

function callOf(request: Request): Call {
  const { elements } = request;
  const [first] = elements ?? [];
  const field = (name: string): unknown => {
    const element = elements?.find(one => one.name === name);
    return element === undefined ? undefined : valueOf(element);
  };
  const lsid = field('lsid') as Document | undefined;
  return {
    request,
    name: first?.name ?? 'hello',
    database: String(field('$db')),
    session: lsid === undefined ? '' : sessionKey(lsid),
    number: field('txnNumber') as Long | undefined,
    inTransaction: field('autocommit') === false,
    starts: field('startTransaction') === true,
  };
}

function valueOf({ name, bytes }: Element): unknown {
  const document = Buffer.concat([Buffer.alloc(4), bytes, Buffer.alloc(1)]);
  document.writeInt32LE(document.length, 0);
  return parseExact(document)[name];
}

/**
 * The message without what a single server refuses. A majority, which is the default of a replica set, acknowledges
 * what is in its journals.
 * https://www.mongodb.com/docs/manual/reference/write-concern/#implicit-default-write-concern
 */
function forEngine(call: Call): Buffer {
  const { request, name } = call;
  const { elements } = request;
  if (elements === undefined) return request.whole;
  const kept = elements.filter(one => !ofReplicaSet.has(one.name)).map(({ bytes }) => bytes);
  if (call.inTransaction) return withElements(request, kept);
  const concern = elements.find(one => one.name === 'writeConcern');
  const asked = concern === undefined ? undefined : (valueOf(concern) as Document);
  if (asked !== undefined && asked['w'] !== 'majority' && asked['w'] !== undefined)
    return withElements(request, [...kept, ...(concern === undefined ? [] : [concern.bytes])]);
  return withElements(request, writes.has(name) ? [...kept, journaled] : kept);
}

const journaled = fieldsOf({ writeConcern: { w: 1, j: true } });
