import type { Socket } from 'node:net';
import type { ConnectionCounts } from './connection-counts.ts';
import type { Link } from './link.ts';
import type { ChildCalls } from './protocol.ts';

/** A child, as its parent has it. */
export interface Member {
  readonly pid: number | undefined;
  readonly link: Link<ChildCalls>;
  readonly connections: ConnectionCounts;
  /** It answers requests, and gets new connections. */
  readonly isReady: boolean;
  /** It answers requests: perhaps only those of the connections that it has. */
  readonly isRunning: boolean;
  /** It gets no more connections, and is not replaced at its end. */
  readonly isLeaving: boolean;
  /** Resolves when it is ready; rejects if it ends before, or cannot start. */
  readonly started: Promise<void>;
  /** Resolves with how it ended, for the operator. */
  readonly ended: Promise<string>;
  /** Passes it a paused connection. */
  pass(socket: Socket, share: string | undefined): void;
  leave(): void;
  kill(): void;
}
