import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FrontParts } from '../engine/front.ts';
import { processArguments } from '../limits/exec-arguments.ts';
import { ConnectionCounts } from './connection-counts.ts';
import { LinkClosed, openLink } from './link.ts';
import type { Member } from './member.ts';
import type { MetricsOfChildren } from './metrics-of-children.ts';
import type { ChildCalls, ChildStart, ParentCalls, Passed } from './protocol.ts';
import { createParentWrites } from './parent-writes.ts';

export interface MemberParts extends Pick<FrontParts, 'store' | 'auditLog' | 'audit' | 'digest'> {
  readonly start: Omit<ChildStart, 'digest'>;
  readonly measured: MetricsOfChildren['measured'];
  readonly program: string | undefined;
  readonly forked: ((child: ChildProcess) => void) | undefined;
  /** A child leaves after an error. */
  readonly leaving: (member: Member) => void;
  readonly broken: (error: unknown) => void;
}

const usualProgram = fileURLToPath(new URL('../cli/serve-child.ts', import.meta.url));

/** Starts a child, and runs its calls. */
export function startMember(parts: MemberParts): Member {
  const { store, auditLog, audit, digest, start, measured, program = usualProgram, forked, leaving, broken } = parts;
  // It gets no input; what it logs goes where the log of this process does.
  const child = fork(program, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: processArguments,
  });
  forked?.(child);
  const connections = new ConnectionCounts();
  const passing = createPassing(child, start.config.headerTimeout);
  let [isStarted, isLeaving, isEnded] = [false, false, false];
  const relay = (): NonNullable<typeof store.relay> => {
    if (store.relay === undefined) throw new Error('The processes of this store write themselves');
    return store.relay;
  };
  const calls: ParentCalls = {
    problems: async () => relay().problems(),
    failed: (doing, summary) => relay().failed(doing, summary),
    write: createParentWrites({
      auditLog,
      failed: error => audit?.failed(error),
      whenFailing: start.config.auditFailure,
      commit: (...job) => relay().commit(...job),
    }),
    refused: refusal => audit?.refused(refusal),
    accepted: number => passing.accepted(number),
    closed: share => connections.remove(share),
    measured: values => measured(member, values),
    leaving() {
      isLeaving = true;
      leaving(member);
    },
  };
  const link = openLink<ChildCalls>(child, calls, broken);
  const ended = new Promise<string>(resolve => {
    const end = (how: string): void => {
      isEnded = true;
      passing.end();
      resolve(how);
    };
    child.on('error', error => child.pid === undefined && end(error.message)); // it could not be started
    child.on('exit', (code, signal) => {
      isEnded = true;
      const how = signal ?? `exit code ${code}`;
      // Its last calls may still have to be read.
      if (child.connected) child.once('disconnect', () => end(how));
      else end(how);
    });
  });
  const begin = async (): Promise<void> => {
    try {
      let followed = digest();
      await link.ask('start', { ...start, digest: followed });
      if (audit?.failing !== undefined) link.tell('auditFailing', audit.failing);
      while (digest() !== followed) {
        followed = digest(); // changed meanwhile
        await link.ask('follow');
      }
      isStarted = true;
    } catch (error) {
      if (!(error instanceof LinkClosed)) throw error;
      await endedEarly; // which says how
    }
  };
  const endedEarly = ended.then(how => Promise.reject(new Error(`A process did not start: ${how}`)));
  const member: Member = {
    pid: child.pid,
    link,
    connections,
    get isReady() {
      return isStarted && !isLeaving && !isEnded;
    },
    get isRunning() {
      return isStarted && !isEnded;
    },
    get isLeaving() {
      return isLeaving;
    },
    started: Promise.race([begin(), endedEarly]),
    ended,
    pass(socket, share) {
      connections.add(share);
      passing.pass(socket, share);
    },
    leave() {
      isLeaving = true;
    },
    kill: () => void child.kill('SIGKILL'),
  };
  return member;
}

/** The connections that are being passed to a child. */
interface Passing {
  pass(socket: Socket, share: string | undefined): void;
  /** The child has a connection: closes it in this process, which does not end it. */
  accepted(number: number): void;
  /** The child has ended: closes the connections that it had not accepted, since nothing answers them. */
  end(): void;
}

/**
 * Each connection stays open in this process until the child has accepted it: Node would close its own copy only at the
 * child's answer, which a child that is killed does not give. One that is not accepted within `longest` milliseconds is
 * closed here; a child that accepts it later serves it nevertheless.
 */
function createPassing(child: ChildProcess, longest: number): Passing {
  const open = new Map<number, { readonly socket: Socket; readonly timer: NodeJS.Timeout }>();
  let last = 0;
  const close = (number: number): void => {
    const passed = open.get(number);
    if (passed === undefined) return;
    open.delete(number);
    clearTimeout(passed.timer);
    passed.socket.destroy();
  };
  return {
    pass(socket, share) {
      const number = (last += 1);
      open.set(number, { socket, timer: setTimeout(close, longest, number) });
      const message: Passed = { connection: { share, number } };
      child.send(message, socket, { keepOpen: true }, error => error !== null && close(number));
    },
    accepted: close,
    end() {
      for (const number of open.keys()) close(number);
    },
  };
}
