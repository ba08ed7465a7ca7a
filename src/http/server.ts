import { readFileSync } from 'node:fs';
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Server as TlsServer } from 'node:tls';
import type { Config } from '../config.ts';
import { answerClientErrors } from './client-error.ts';
import { seldom } from '../observability/seldom.ts';
import { limitConnections } from './connections.ts';
import { currentResponses } from './current.ts';
import { createShareOf } from './shares.ts';
import { longestUploadWait } from './uploads.ts';

// An `import` of its values would also load Node's whole `fetch`: 45 ms and 10 MB.
const { createServer } = process.getBuiltinModule('node:http');

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Reads the certificate again, and logs how that went; undefined without TLS. */
  readonly reload: (() => void) | undefined;
  /** Takes no more connections, lets requests in flight finish within the time that is set, and closes the rest. */
  close(): Promise<void>;
}

/** A connection on which nothing moves for so long is closed, such as one whose client does not read; milliseconds. */
const stalled = 120_000;
/** What befalls the port is logged once in so many milliseconds. */
const quiet = 10_000;
/** Room for header fields beside the URL, in bytes. */
const headerBytes = 16_384;

/**
 * Opens the port with the limits of the settings: http, or https with a certificate that can be read again. Rejects where the port
 * or the certificate cannot be used.
 */
export async function listen(
  config: Config,
  listener: RequestListener,
  headers: Readonly<Record<string, string>>,
  notice: (text: string) => void,
): Promise<Listening> {
  const options: ServerOptions = {
    maxHeaderSize: 2 * config.maxUrl + headerBytes, // a URL somewhat too long is read, to be refused with its own status
    headersTimeout: config.headerTimeout,
    requestTimeout: config.headerTimeout + longestUploadWait + config.bodyTimeout,
    keepAliveTimeout: config.keepAlive,
    connectionsCheckingInterval: Math.max(20, Math.min(1_000, config.headerTimeout / 4)),
    requireHostHeader: false, // checked in target.ts, which answers with an OperationOutcome
  };
  const tls = readTls(config);
  const secure = tls === undefined ? undefined : createTlsServer({ ...options, ...tls });
  const server = secure ?? createServer(options);
  server.timeout = Math.max(stalled, 2 * config.searchDeadline);
  Object.assign(server, { httpAllowHalfOpen: true }); // a client may end its side first and still read the answer
  server.on('request', listener).on('checkContinue', listener); // whoever reads the body says "continue"
  const currentResponse = currentResponses(server);
  answerClientErrors(server, headers, currentResponse);
  const { maxConnections: most, connectionsPerAddress: share = Math.ceil(most / 4) } = config;
  const shareOf = createShareOf(config.trustedProxies);
  limitConnections(server, { most, share, shareOf, currentResponse, notice });
  await opened(server, config);
  const isTime = seldom(quiet);
  server.on('error', error => {
    if (isTime()) notice(`A connection could not be accepted: ${error.message}`); // the next one may be
  });
  return {
    port: portOf(server),
    reload: secure && (() => reloadTls(secure, config, notice)),
    close: () => closed(server, config.shutdownTimeout),
  };
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

/** Connections end as they become idle; what still runs after the time is cut. */
function closed(server: Server, longest: number): Promise<void> {
  return new Promise(resolve => {
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    const late = setTimeout(() => server.closeAllConnections(), longest);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function readTls({ tlsCert, tlsKey }: Config): { cert: Buffer; key: Buffer } | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const files = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
  try {
    createSecureContext(files);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`\`${tlsCert}\` and \`${tlsKey}\` are no certificate with its key, both as PEM: ${why}`, { cause });
  }
  return files;
}

function reloadTls(server: TlsServer, config: Config, notice: (text: string) => void): void {
  try {
    server.setSecureContext(readTls(config) ?? {});
    notice('The certificate was read again.');
  } catch (error) {
    notice(`The certificate could not be read again; the old one stays: ${String(error)}`);
  }
}
