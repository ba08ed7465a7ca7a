import { Socket } from 'node:net';
import type { Config } from '../config/read.ts';
import { createLog } from '../observability/log.ts';
import type { Log } from '../observability/log.ts';
import { startChild } from '../processes/child.ts';
import type { Child, ChildParts } from '../processes/child.ts';
import { openLink } from '../processes/link.ts';
import type { ChildCalls, ChildStart, ParentCalls, Passed } from '../processes/protocol.ts';
import { catchUncaught } from './uncaught.ts';

/** Milliseconds for an end beyond the time for running requests, after an error. */
const beyond = 5_000;

/**
 * Makes this process one that answers requests for its parent (`serve --processes`), which sends it the settings and
 * the connections. Signals of a terminal or of a service manager reach it too: its parent decides what they mean. Tests
 * give it parts.
 */
export function answerForParent(parts: ChildParts & { readonly log?: Log } = {}): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(1)); // the parent is gone
  const starting = Promise.withResolvers<Child>();
  starting.promise.catch(() => {}); // reported by `start`
  let child: Child | undefined;
  let isClosing = false;

  const close = async (patience: number, code: number): Promise<void> => {
    if (child === undefined) process.exit(code);
    const ended = child.close(patience);
    if (isClosing) return;
    isClosing = true;
    await ended;
    const values = await child.metrics();
    if (values !== undefined) link.tell('measured', values);
    await link.flush();
    process.exit(code);
  };
  const calls: ChildCalls = {
    async start(given) {
      try {
        child = await begin(given, parts, link, code => void close(0, code));
        starting.resolve(child);
      } catch (error) {
        starting.reject(error);
        throw error;
      }
    },
    follow: async () => (await starting.promise).follow(),
    reload: async what => (await starting.promise).reload(what),
    metrics: async () => (await starting.promise).metrics(),
    auditFailing: reason => void starting.promise.then(one => one.auditFailing(reason)),
    makeWay: (share, which) => child?.makeWay(share, which) ?? false,
    close: patience => void close(patience, 0),
  };
  const link = openLink<ParentCalls>(process, calls, error => {
    throw error; // a defect: ends this process in order
  });
  process.on('message', (message: unknown, socket: unknown) => {
    if (typeof message !== 'object' || message === null || !('connection' in message)) return;
    const { share, number } = (message as Passed).connection; // of start-member.ts
    link.tell('accepted', number);
    // One that its client has closed meanwhile arrives without its socket.
    if (child === undefined || !(socket instanceof Socket)) link.tell('closed', share);
    else child.accept(socket, share);
  });
}

async function begin(
  given: ChildStart,
  { log: injected, ...parts }: Parameters<typeof answerForParent>[0] & {},
  link: Parameters<typeof startChild>[1],
  end: (code: number) => void,
): Promise<Child> {
  const { config } = given;
  const log = injected ?? logOf(config);
  const uncaught = catchUncaught(log, config.shutdownTimeout + beyond);
  const child = await startChild(given, link, log, parts);
  uncaught.started();
  void uncaught.occurred.then(code => {
    link.tell('leaving');
    end(code);
  });
  return child;
}

const logOf = ({ log, logFormat }: Config): Log => createLog(log, process.stderr, Date.now, logFormat);
