import { received, sent } from './sent-error.ts';
import type { SentError } from './sent-error.ts';

/** The functions of a process that another one may call. */
export type Calls = Readonly<Record<string, (...values: never[]) => unknown>>;

type Result<F> = F extends (...values: never[]) => infer R ? Awaited<R> : never;
type Values<F> = F extends (...values: infer V) => unknown ? V : never;

/** The calls of the other process. Calls of one turn of the event loop are sent in one message. */
export interface Link<Theirs extends Calls> {
  /** Calls a function; throws its error, or `LinkClosed`. */
  ask<Name extends keyof Theirs & string>(name: Name, ...values: Values<Theirs[Name]>): Promise<Result<Theirs[Name]>>;
  /** Calls a function, whose result is ignored. */
  tell<Name extends keyof Theirs & string>(name: Name, ...values: Values<Theirs[Name]>): void;
  /** Sends what is waiting now: for a process that is about to end. Resolves once it is written. */
  flush(): Promise<void>;
}

/** The other process has ended. */
export class LinkClosed extends Error {
  constructor() {
    super('The other process of this server has ended');
    this.name = 'LinkClosed';
  }
}

/** One end of a channel between processes: `process` in a child, the child in its parent. */
export interface Channel {
  readonly connected: boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  send?: ((message: object, done: (error: Error | null) => void) => boolean) | undefined;
}

type Message =
  | readonly [kind: 'call', number: number, name: string, values: readonly unknown[]]
  | readonly [kind: 'done', number: number, value: unknown]
  | readonly [kind: 'failed', number: number, failure: SentError];

interface PendingCall {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The number of a call without an answer. */
const untold = 0;

/**
 * Opens one end of a link. `calls` are the functions of this process; `broken` receives errors of calls whose callers
 * do not wait. Other messages of the channel are ignored.
 */
export function openLink<Theirs extends Calls>(
  channel: Channel,
  calls: Calls,
  broken: (error: unknown) => void,
): Link<Theirs> {
  const waiting = new Map<number, PendingCall>();
  let number = untold;
  let outgoing: Message[] = [];
  let isOpen = channel.connected;

  const close = (): void => {
    isOpen = false;
    for (const { reject } of waiting.values()) reject(new LinkClosed());
    waiting.clear();
  };
  const flush = (): Promise<void> => {
    const messages = outgoing;
    outgoing = [];
    if (messages.length === 0 || !isOpen || !channel.connected) return Promise.resolve();
    return new Promise(resolve => channel.send?.({ messages }, () => resolve())); // an error closes the channel too
  };
  const post = (message: Message): void => {
    if (outgoing.push(message) === 1) setImmediate(() => void flush());
  };
  const run = async (id: number, name: string, values: readonly unknown[]): Promise<void> => {
    try {
      // Both ends have the same program, whose types say which functions exist, and their values.
      const value: unknown = await (calls[name] as (...values: readonly unknown[]) => unknown)(...values);
      if (id !== untold) post(['done', id, value]);
    } catch (error) {
      if (id === untold) broken(error);
      else post(['failed', id, sent(error)]);
    }
  };
  const take = (message: Message): void => {
    if (message[0] === 'call') return void run(message[1], message[2], message[3]);
    const call = waiting.get(message[1]);
    waiting.delete(message[1]);
    if (message[0] === 'done')
      call?.resolve(message[2] as never); // typed by `ask`
    else call?.reject(received(message[2]));
  };
  channel.on('message', (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('messages' in message)) return;
    for (const one of message.messages as readonly Message[]) take(one); // of `flush`
  });
  channel.on('disconnect', close);
  return {
    ask(name, ...values) {
      return new Promise((resolve, reject) => {
        if (!isOpen) return reject(new LinkClosed());
        number += 1;
        waiting.set(number, { resolve, reject });
        post(['call', number, name, values]);
      });
    },
    tell(name, ...values) {
      if (isOpen) post(['call', untold, name, values]);
    },
    flush,
  };
}
