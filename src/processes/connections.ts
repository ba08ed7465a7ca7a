import type { Socket } from 'node:net';
import { dispensable } from '../http/connection/connections.ts';
import type { ShareOf } from '../http/connection/client-address.ts';
import { seldom } from '../observability/seldom.ts';
import type { Member } from './member.ts';

interface Limits {
  /** Maximum number of connections. */
  readonly most: number;
  /** Maximum number of connections per share. */
  readonly share: number;
  readonly shareOf: ShareOf;
  /** How long a connection waits for a child that can answer, in milliseconds. */
  readonly longest: number;
  /** Receives a notice, rate limited, when connections are rejected. */
  readonly notice: (text: string) => void;
}

/** Passes the connections of a server to its children, and limits their number. */
export interface Distribution {
  /** Passes a paused connection to the ready child that has the fewest, or waits for one. */
  accept(socket: Socket): void;
  /** All children have started: connections wait before. */
  open(): void;
  /** A child is ready. */
  ready(): void;
  /** Closes the connections that wait. */
  close(): void;
}

/** Rejected connections are logged once in this time, in milliseconds. */
const noticeInterval = 10_000;

/**
 * At a limit a silent connection of a child is closed for the new one, else an idle one, as one process does it; if all
 * are busy, the new one is closed.
 */
export function createDistribution(members: ReadonlySet<Member>, limits: Limits): Distribution {
  const { most, share: mostOfShare, shareOf, longest, notice } = limits;
  const waiting = new Map<Socket, { readonly share: string | undefined; readonly timer: NodeJS.Timeout }>();
  const isTime = seldom(noticeInterval);
  let isOpen = false;

  const countOf = (share: string | undefined): number => {
    let sum = 0;
    for (const { connections } of members) sum += connections.of(share);
    return sum;
  };
  const total = (): number => {
    let sum = waiting.size;
    for (const { connections } of members) sum += connections.total;
    return sum;
  };
  const makeWay = async (share: string | undefined): Promise<boolean> => {
    const number = ({ connections }: Member): number =>
      share === undefined ? connections.total : connections.of(share);
    for (const which of dispensable)
      for (const member of [...members].sort((a, b) => number(b) - number(a)))
        if (number(member) > 0 && (await member.link.ask('makeWay', share, which).catch(() => false))) return true;
    return false;
  };
  const pass = (socket: Socket, share: string | undefined): void => {
    let chosen: Member | undefined;
    for (const member of isOpen ? members : [])
      if (member.isReady && (chosen === undefined || member.connections.total < chosen.connections.total))
        chosen = member;
    if (chosen !== undefined) return chosen.pass(socket, share);
    const timer = setTimeout(() => {
      waiting.delete(socket);
      socket.destroy();
    }, longest);
    waiting.set(socket, { share, timer });
  };
  const refuse = (socket: Socket, why: string): void => {
    socket.destroy();
    if (isTime()) notice(`${why} Further ones are closed.`);
  };
  const acceptAtLimit = async (socket: Socket, share: string | undefined): Promise<void> => {
    const alike = countOf(share);
    if (share !== undefined && alike >= mostOfShare && !(await makeWay(share)))
      return refuse(
        socket,
        `\`${share}\` has ${alike} connections, the maximum per address (\`connections-per-address\`).`,
      );
    const all = total();
    if (all >= most && !(await makeWay(undefined)))
      return refuse(socket, `There are ${all} connections, the maximum (\`max-connections\`).`);
    pass(socket, share);
  };
  const passWaiting = (): void => {
    const sockets = [...waiting];
    waiting.clear();
    for (const [socket, { share, timer }] of sockets) {
      clearTimeout(timer);
      pass(socket, share);
    }
  };
  return {
    accept(socket) {
      socket.on('error', () => {}); // it is closed then
      const { remoteAddress } = socket;
      if (remoteAddress === undefined) {
        socket.destroy(); // it is closed already
        return;
      }
      const share = shareOf(remoteAddress);
      const isFull = total() >= most || (share !== undefined && countOf(share) >= mostOfShare);
      if (isFull) void acceptAtLimit(socket, share);
      else pass(socket, share);
    },
    open() {
      isOpen = true;
      passWaiting();
    },
    ready: passWaiting,
    close() {
      for (const [socket, { timer }] of waiting) {
        clearTimeout(timer);
        socket.destroy();
      }
      waiting.clear();
    },
  };
}
