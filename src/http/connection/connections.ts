import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { seldom } from '../../observability/seldom.ts';
import type { CurrentResponse } from './client-error.ts';
import type { ShareOf } from './client-address.ts';

export interface ConnectionLimits {
  /** Maximum number of connections. */
  readonly most: number;
  /** Maximum number of connections per share. */
  readonly share: number;
  readonly shareOf: ShareOf;
  readonly currentResponse: CurrentResponse;
  /** Receives a notice, rate limited, when connections are rejected. */
  readonly notice: (text: string) => void;
}

interface Connection {
  readonly peer: string;
  /** The TLS socket, once it exists. */
  socket: Socket;
  readonly share: string | undefined;
}

/** Rejected connections are logged once in this time, in milliseconds. */
const noticeInterval = 10_000;

/**
 * Connections that can be closed for another: a silent one never sent a whole request, an idle one waits for the next.
 */
export const dispensable = ['silent', 'idle'] as const;
export type Dispensable = (typeof dispensable)[number];

/** The open connections of a server. */
export interface Connections {
  /** Closes the oldest silent or idle connection, of this share unless it is undefined; false if there is none. */
  makeWay(share: string | undefined, which: Dispensable): boolean;
}

/**
 * Limits the connections of a server, in total and per share. At the limit the oldest silent connection is closed for a
 * new one, else the oldest idle one; if all are busy, the new one is closed. Many silent connections thus lock no one
 * out: a new one sends its request long before it is the oldest.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  const { most, share: mostOfShare, shareOf, currentResponse, notice } = limits;
  const open = new Map<string, Connection>();
  const ofShare = new Map<string | undefined, Set<Connection>>();
  const isTime = seldom(noticeInterval);

  const forget = (connection: Connection): void => {
    const { peer, share } = connection;
    if (open.get(peer) !== connection) return; // it was closed for another
    open.delete(peer);
    const alike = ofShare.get(share);
    alike?.delete(connection);
    if (alike?.size === 0) ofShare.delete(share);
  };
  const is = (which: Dispensable, { socket }: Connection): boolean => {
    const response = currentResponse(socket);
    if (response === undefined) return which === 'silent';
    return which === 'idle' && response.writableFinished && response.req.complete;
  };
  const makeWayBy = (share: string | undefined, which: Dispensable): boolean => {
    for (const rival of share === undefined ? open.values() : (ofShare.get(share) ?? [])) {
      if (!is(which, rival)) continue;
      forget(rival);
      rival.socket.destroy();
      return true;
    }
    return false;
  };
  const makeWay = (share: string | undefined): boolean => dispensable.some(which => makeWayBy(share, which));
  const refuse = (socket: Socket, why: string): void => {
    socket.destroy();
    if (isTime()) notice(`${why} Further ones are closed.`);
  };

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return; // it is closed already
    const share = shareOf(remoteAddress);
    const alike = ofShare.get(share) ?? new Set();
    if (share !== undefined && alike.size >= mostOfShare && !makeWay(share))
      return refuse(
        socket,
        `\`${share}\` has ${alike.size} connections, the maximum per address (\`connections-per-address\`).`,
      );
    if (open.size >= most && !makeWay(undefined))
      return refuse(socket, `There are ${open.size} connections, the maximum (\`max-connections\`).`);
    const connection: Connection = { peer: peerOf(socket), socket, share };
    open.set(connection.peer, connection);
    ofShare.set(share, alike.add(connection));
    socket.once('close', () => forget(connection));
  });
  server.on('secureConnection', (socket: Socket) => {
    const connection = open.get(peerOf(socket));
    if (connection !== undefined) connection.socket = socket; // requests arrive on this one
  });
  return { makeWay: makeWayBy };
}

/** Unique among the connections to a port. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
