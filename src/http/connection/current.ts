import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The response to the last request on a connection; undefined before the first. */
export type CurrentResponse = (socket: Duplex) => ServerResponse | undefined;

export function currentResponses(server: Server): CurrentResponse {
  const current = new WeakMap<Duplex, ServerResponse>();
  const remember = (request: IncomingMessage, response: ServerResponse): unknown =>
    current.set(request.socket, response);
  server.on('request', remember).on('checkContinue', remember);
  return socket => current.get(socket);
}
