import type {
  IncomingMessage,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse as Response,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as TcpServer } from 'node:net';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server as TlsServer } from 'node:tls';
import type { Config } from '../config/read.ts';
import { answerClientErrors } from './connection/client-error.ts';
import type { CurrentResponse } from './connection/client-error.ts';
import { seldom } from '../observability/seldom.ts';
import type { UnreadRequest } from '../observability/unread.ts';
import { limitConnections } from './connection/connections.ts';
import type { Connections } from './connection/connections.ts';
import { createShareOf } from './connection/client-address.ts';
import { longestUploadWait } from './body/uploads.ts';
import { readTlsFiles } from './connection/tls-files.ts';
import type { TlsFiles } from './connection/tls-files.ts';

// An `import` of its values would also load Node's whole `fetch`: 45 ms and 10 MB.
const { createServer, ServerResponse } = process.getBuiltinModule('node:http');

/** A listening server. */
export interface Listening {
  readonly port: number;
  /** Reloads the certificate, and logs the result; undefined without TLS. */
  readonly reload: (() => void) | undefined;
  /** Passes further requests to another listener, whose promise, if it returns one, never rejects. */
  serve(listener: (request: IncomingMessage, response: Response) => unknown): void;
  /**
   * Accepts no more connections, and lets running requests finish within the configured time. A connection ends with
   * its next answer, which has `Connection: close`, or if it is idle after `patience` milliseconds.
   */
  close(patience?: number): Promise<void>;
}

/** Receives what no listener of requests sees. */
export interface PortReport {
  /** A sentence for the operator. */
  readonly notice: (text: string) => void;
  /** A request was answered that could not be read. */
  readonly unread: (request: UnreadRequest) => void;
}

/** An inactive connection is closed after this time, such as one whose client does not read; milliseconds. */
const stalled = 120_000;
/** Errors of the port are logged once in this time, in milliseconds. */
const noticeInterval = 10_000;
/** Maximum size of header fields in addition to the URL, in bytes. */
const headerBytes = 16_384;

/**
 * Opens the port with the limits of the settings: http, or https with a certificate that can be reloaded. Rejects if
 * the port or the certificate cannot be used.
 */
export async function listen(
  config: Config,
  listener: RequestListener,
  headers: Readonly<Record<string, string>>,
  report: PortReport,
): Promise<Listening> {
  const { notice } = report;
  const { server, currentResponse, reload, close } = createHttp(config, listener, headers, report);
  const { maxConnections: most, connectionsPerAddress: share = Math.ceil(most / 4) } = config;
  const shareOf = createShareOf(config.trustedProxies);
  limitConnections(server, { most, share, shareOf, currentResponse, notice });
  await opened(server, config);
  const isTime = seldom(noticeInterval);
  server.on('error', error => {
    if (isTime()) notice(`A connection could not be accepted: ${error.message}`); // the next one may succeed
  });
  let current: (request: IncomingMessage, response: Response) => unknown = listener;
  return {
    port: portOf(server),
    reload,
    serve(next) {
      for (const event of ['request', 'checkContinue']) server.off(event, current).on(event, next);
      current = next;
    },
    close: (patience = 0) => close(closed => TcpServer.prototype.close.call(server, closed), patience),
  };
}

/** A server without a port: another process accepts its connections, and limits their number. */
export interface Accepting extends Omit<Listening, 'port' | 'serve'>, Connections {
  /** Serves a connection; `closed` is called once it has ended. */
  accept(socket: Socket, closed: () => void): void;
}

/** Creates such a server, otherwise as `listen` does. Throws if the certificate cannot be used. */
export function createAccepting(
  config: Config,
  listener: RequestListener,
  headers: Readonly<Record<string, string>>,
  report: PortReport,
): Accepting {
  const { notice } = report;
  const { server, currentResponse, reload, close } = createHttp(config, listener, headers, report);
  const shareOf = createShareOf(config.trustedProxies);
  const connections = limitConnections(server, { most: Infinity, share: Infinity, shareOf, currentResponse, notice });
  server.emit('listening'); // lets Node check the times of requests, which it does from this event on
  const open = new Set<Socket>();
  let drained = (): void => {};
  return {
    makeWay: (share, which) => connections.makeWay(share, which),
    reload,
    accept(socket, closed) {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        closed();
        if (open.size === 0) drained();
      });
      socket.allowHalfOpen = true; // as of a connection that the server accepts itself
      socket.setNoDelay(true);
      server.emit('connection', socket);
    },
    close(patience = 0) {
      const stop = (closed: () => void): void => {
        const before = drained; // called again, with less patience
        drained = () => {
          before();
          closed();
        };
        if (open.size === 0) drained();
      };
      return close(stop, patience, patience + config.shutdownTimeout);
    },
  };
}

/** The server with its limits, except for those of connections. */
function createHttp(
  config: Config,
  listener: RequestListener,
  headers: Readonly<Record<string, string>>,
  { notice, unread }: PortReport,
): {
  readonly server: Server;
  readonly currentResponse: CurrentResponse;
  readonly reload: (() => void) | undefined;
  /** `stop` accepts no more connections, and calls its argument once all are closed. */
  readonly close: (stop: (closed: () => void) => unknown, patience: number, longest?: number) => Promise<void>;
} {
  let isClosing = false;
  const options: ServerOptions = {
    ServerResponse: closingResponse(() => isClosing),
    // a URL slightly over the limit is read, to be rejected with its own status
    maxHeaderSize: 2 * config.maxUrl + headerBytes,
    headersTimeout: config.headerTimeout,
    requestTimeout: config.headerTimeout + longestUploadWait + config.bodyTimeout,
    keepAliveTimeout: config.keepAlive,
    connectionsCheckingInterval: Math.max(20, Math.min(1_000, config.headerTimeout / 4)),
    optimizeEmptyRequests: true, // one without a body then costs 2 % less
    requireHostHeader: false, // checked in target.ts, which answers with an OperationOutcome
  };
  const tls = readTls(config);
  const secure = tls === undefined ? undefined : createTlsServer({ ...options, ...tls });
  const server = secure ?? createServer(options);
  server.timeout = Math.max(stalled, 2 * config.searchDeadline);
  Object.assign(server, { httpAllowHalfOpen: true }); // a client may end its side first and still read the answer
  server.on('request', listener).on('checkContinue', listener); // the reader of the body sends "continue"
  const currentResponse = currentResponses(server);
  answerClientErrors(server, headers, currentResponse, unread);
  return {
    server,
    currentResponse,
    reload: secure && (() => reloadTls(secure, config, notice)),
    close(stop, patience, longest = config.shutdownTimeout) {
      isClosing = true;
      return closed(server, stop, longest, patience);
    },
  };
}

/** Remembers the responses of the connections of a server. */
export function currentResponses(server: Server): CurrentResponse {
  const current = new WeakMap<Duplex, Response>();
  const remember: RequestListener = (request, response) => void current.set(request.socket, response);
  server.on('request', remember).on('checkContinue', remember);
  return socket => current.get(socket);
}

function opened(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a TCP port');
  return address.port;
}

type HeaderFields = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Responses that close their connection once the server closes, whichever module writes them. */
function closingResponse(isClosing: () => boolean): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, reason?: string | HeaderFields, fields?: HeaderFields): this {
      if (isClosing()) this.shouldKeepAlive = false;
      return super.writeHead(status, reason as string, fields); // both forms of its second argument
    }
  };
}

/** Running requests are aborted after `longest`, idle connections closed after `patience`; milliseconds. */
function closed(
  server: Server,
  stop: (closed: () => void) => unknown,
  longest: number,
  patience: number,
): Promise<void> {
  return new Promise(resolve => {
    let idle: NodeJS.Timeout | undefined;
    const closeIdle = (): void => {
      server.close(); // that of http: it closes idle connections, and ends Node's checks of their times
      idle ??= setInterval(() => server.closeIdleConnections(), 50);
    };
    const late = setTimeout(() => server.closeAllConnections(), longest);
    const impatient = patience === 0 ? undefined : setTimeout(closeIdle, Math.min(patience, longest));
    stop(() => {
      for (const timer of [late, impatient, idle]) clearTimeout(timer);
      server.close();
      resolve();
    });
    if (patience === 0) closeIdle();
  });
}

function readTls({ tlsCert, tlsKey }: Config): TlsFiles | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return readTlsFiles(tlsCert, tlsKey);
}

function reloadTls(server: TlsServer, config: Config, notice: (text: string) => void): void {
  try {
    server.setSecureContext(readTls(config) ?? {});
    notice('The certificate was reloaded.');
  } catch (error) {
    notice(`The certificate could not be reloaded; the old one stays in use: ${String(error)}`);
  }
}
