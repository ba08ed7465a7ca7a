import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import { isLoopback } from '../config/values.ts';
import { isOwnHost } from './request/own-host.ts';
import type { Metrics } from '../observability/prometheus.ts';

// Not an import, for the reason in http/server.ts.
const { createServer } = process.getBuiltinModule('node:http');

/** An open port that serves `/metrics`. */
export interface MetricsPort {
  readonly port: number;
  close(): Promise<void>;
}

/** A scraper that is slower than this is disconnected; milliseconds. */
const timeout = 10_000;
const mostConnections = 20;

/**
 * Serves `GET /metrics` on an address of its own, without access control: bind it to loopback, or to a network that
 * only the monitoring uses. A connection over loopback must name this machine as `Host`, so that no web page in a
 * browser here reads the metrics by a name of its own; one over a network may use any name, such as that of a service
 * in a cluster. Rejects if the port cannot be used. `fault` receives the error of a failed scrape.
 */
export async function openMetricsPort(
  metrics: Pick<Metrics, 'contentType' | 'scrape'>,
  place: { readonly host: string; readonly port: number },
  fault: (error: unknown) => void,
): Promise<MetricsPort> {
  const server = createServer({ headersTimeout: timeout, requestTimeout: timeout }, (request, response) => {
    const send = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    request.resume(); // a body is ignored
    if (request.url?.split('?')[0] !== '/metrics') return send(404, plain, 'Metrics are at /metrics.\n');
    if (!mayName(request))
      return send(421, plain, 'From this machine, use `localhost`, 127.0.0.1 or its name as host.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, plain, 'Use GET.\n');
    metrics.scrape().then(
      text => send(200, metrics.contentType, text),
      (error: unknown) => {
        fault(error);
        send(500, plain, 'The metrics could not be read; the log of the server has the reason.\n');
      },
    );
  });
  server.maxConnections = mostConnections;
  server.timeout = timeout;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(inUse(place.port)) : error),
    );
    server.listen(place.port, place.host, resolve);
  });
  server.on('error', fault);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The metrics are not served on a TCP port');
  return {
    port: address.port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-7.4 */
const mayName = ({ socket, headers }: IncomingMessage): boolean =>
  !isLoopback(socket.localAddress?.replace(/^::ffff:/, '') ?? '') || isOwnHost(headers.host ?? '', [hostname()]);

const inUse = (port: number): string =>
  `The port ${port} of the metrics is in use by another program; choose one with \`--metrics-port\`, or 0 for any ` +
  'free one.';

const plain = 'text/plain; charset=utf-8';
