import { once } from 'node:events';
import net from 'node:net';
import type { Socket } from 'node:net';
import { BSON, Long, type Document, type MongoClient } from 'mongodb';
import { type Call, callOf, forEngine, sessionKey } from './call.ts';
import { Database } from './database.ts';
import { noSuchTransaction, Refusal } from './errors.ts';
import { type Fault, Faults, majorityMissing } from './faults.ts';
import { commandOf, extendReply, fieldsOf, messagesOf, parseRequest, replyOf, replyTo } from './messages.ts';
import type { Request } from './messages.ts';
import { clusterTime, notPrimary, ReplicaSet } from './replica-set.ts';
import { Router } from './router.ts';
import type { Undo } from './undo.ts';

const hellos: ReadonlySet<string> = new Set(['hello', 'ismaster', 'isMaster']);
const ofSessions: ReadonlySet<string> = new Set(['endSessions', 'killSessions', 'refreshSessions']);
const always = fieldsOf(clusterTime);

/** Whether retryable writes are remembered over a kill, which takes four writes for one. */
const remembers = process.env['BRIDGE_REMEMBERS'] !== undefined;

/** A cut that a test asked for. */
class Cut extends Error {}

/** Opens a port for another member of the replica set, which then is the primary, or for the router; gives it. */
export type Listen = (as: 'member' | 'router') => Promise<number>;

/** Makes one engine look like the primary of a replica set, and at one port like the router of a sharded cluster. */
export class Bridge {
  readonly members = new ReplicaSet();
  readonly router: Router;
  readonly #client: MongoClient;
  readonly #socketPath: string;
  readonly #undo: Undo;
  readonly #listen: Listen;
  readonly #faults = new Faults();
  readonly #databases = new Map<string, Database>();
  /** The open transactions, by session. */
  readonly #transactions = new Map<string, { readonly number: Long; readonly database: Database }>();
  /** The last retryable write of each session. https://www.mongodb.com/docs/manual/core/retryable-writes/ */
  readonly #written = new Map<string, { readonly number: Long; readonly reply: Promise<Buffer> }>();

  constructor(client: MongoClient, socketPath: string, undo: Undo, listen: Listen) {
    this.#client = client;
    this.#socketPath = socketPath;
    this.#undo = undo;
    this.#listen = listen;
    this.router = new Router(client);
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
    const isRouted = port === this.router.port;
    try {
      if (hellos.has(name)) {
        const engine = replyOf(await forward());
        return replyTo(request, isRouted ? this.router.hello(engine) : this.members.hello(port, engine));
      }
      if (isRouted) await this.#check(call);
      const own = await this.#answerItself(call);
      if (own !== undefined) return replyTo(request, { ok: 1, ...own, ...clusterTime });
      if (!isRouted && !this.members.isPrimary(port) && name !== 'ping') throw notPrimary();
      const reply = await this.#withFaults(call, async () => {
        const routed = isRouted ? await this.router.answer(call) : undefined;
        return routed === undefined ? this.#carryOut(call, forward) : replyTo(request, { ok: 1, ...routed });
      });
      if (isRouted && name === 'explain') return replyTo(request, this.router.explained(call, replyOf(reply)));
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
    if (name === 'replSetInitiate') return {}; // it is one from the start
    if (name === 'bridgeRouter') return { port: this.router.port ?? (await this.#listen('router')) };
    if (name === 'replSetStepDown') {
      await this.#listen('member');
      for (const database of this.#databases.values()) await database.abortAll();
      return {};
    }
    if (!ofSessions.has(name)) return undefined;
    if (name !== 'refreshSessions')
      for (const lsid of commandOf(request)[name] as readonly Document[]) await this.#endSession(sessionKey(lsid));
    return {};
  }

  /** The referee of a cluster; an error ends the transaction. Throws `Refusal`. */
  async #check(call: Call): Promise<void> {
    try {
      await this.router.check(call);
    } catch (error) {
      if (call.inTransaction) await this.#transactions.get(call.session)?.database.abort(call.session);
      throw error;
    }
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
    if (fault.does === 'kill') process.kill(process.pid, 'SIGKILL');
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
    // A retryable write: the second request gets the reply to the first, after a kill only if that is asked for.
    const earlier = this.#written.get(call.session);
    if (earlier?.number.equals(number) === true) return earlier.reply;
    const kept = remembers ? await this.#undo.replyTo(call.session, number) : undefined;
    if (kept !== undefined) return replyTo(request, kept);
    const reply = remembers
      ? database.runOnce(name, request, forward, call.session, number)
      : database.run(name, request, forward);
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
      this.router.end(session);
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
