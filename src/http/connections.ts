import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { seldom } from '../observability/seldom.ts';
import type { CurrentResponse } from './current.ts';
import type { ShareOf } from './shares.ts';

export interface ConnectionLimits {
  /** Connections in all. */
  readonly most: number;
  /** Connections of those that have one share. */
  readonly share: number;
  readonly shareOf: ShareOf;
  readonly currentResponse: CurrentResponse;
  /** Is told, once in a while, that connections are refused. */
  readonly notice: (text: string) => void;
}

interface Connection {
  readonly peer: string;
  /** Of TLS, once that is there. */
  socket: Socket;
  readonly share: string | undefined;
}

/** It is logged once in so many milliseconds that connections are refused. */
const quiet = 10_000;

/**
 * Limits the connections of a server, in all and of each share. Where there are as many as there may be, the oldest of them that has
 * been answered and sends nothing makes way for a new one; where there is none such, the new one is closed.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { most, share: mostOfShare, shareOf, currentResponse, notice } = limits;
  const open = new Map<string, Connection>();
  const ofShare = new Map<string | undefined, Set<Connection>>();
  const isTime = seldom(quiet);

  const forget = (connection: Connection): void => {
    const { peer, share } = connection;
    if (open.get(peer) !== connection) return; // it made way
    open.delete(peer);
    const alike = ofShare.get(share);
    alike?.delete(connection);
    if (alike?.size === 0) ofShare.delete(share);
  };
  const isIdle = ({ socket }: Connection): boolean => {
    const response = currentResponse(socket);
    return response?.writableFinished === true && response.req.complete;
  };
  const makeWay = (rivals: Iterable<Connection>): boolean => {
    for (const rival of rivals) {
      if (!isIdle(rival)) continue;
      forget(rival);
      rival.socket.destroy();
      return true;
    }
    return false;
  };
  const refuse = (socket: Socket, why: string): void => {
    socket.destroy();
    if (isTime()) notice(`${why} Further ones are closed.`);
  };

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) return; // it is gone already
    const share = shareOf(remoteAddress);
    const alike = ofShare.get(share) ?? new Set();
    if (share !== undefined && alike.size >= mostOfShare && !makeWay(alike))
      return refuse(socket, `\`${share}\` has ${alike.size} connections, as many as one address may have (\`connections-per-address\`).`); // prettier-ignore
    if (open.size >= most && !makeWay(open.values()))
      return refuse(socket, `There are ${open.size} connections, as many as there may be (\`max-connections\`).`);
    const connection: Connection = { peer: peerOf(socket), socket, share };
    open.set(connection.peer, connection);
    ofShare.set(share, alike.add(connection));
    socket.once('close', () => forget(connection));
  });
  server.on('secureConnection', (socket: Socket) => {
    const connection = open.get(peerOf(socket));
    if (connection !== undefined) connection.socket = socket; // requests come on this one
  });
}

/** No two connections to one port have the same. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
