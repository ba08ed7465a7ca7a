import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { publicUrlOf } from '../config/read.ts';
import type { Config } from '../config/read.ts';
import { listen } from '../http/server.ts';
import type { Listening, PortReport } from '../http/server.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** An open port. Its requests wait until they are served. */
export interface Port extends Pick<Listening, 'close'> {
  /** Reloads the certificate, and logs the result; undefined without TLS. */
  readonly reload: (() => Promise<void> | void) | undefined;
  readonly number: number;
  /** The base of absolute URLs. */
  readonly url: string;
  /** Passes requests to the listener, first those that wait. */
  serve(listener: Listener): void;
  /** Ends the waiting requests. */
  fail(error: unknown): void;
}

/** Opens the port of the settings. `headers` are sent with refusals of the HTTP parser. */
export async function openPort(
  config: Config,
  headers: Readonly<Record<string, string>>,
  report: PortReport,
): Promise<Port> {
  const opened = Promise.withResolvers<Listener>();
  const wait: RequestListener = (request, response) => {
    opened.promise.then(
      handle => handle(request, response),
      () => request.destroy(),
    );
  };
  const listening = await listen(config, wait, headers, report);
  return {
    number: listening.port,
    url: publicUrlOf(config, listening.port),
    reload: listening.reload,
    close: patience => listening.close(patience),
    serve(listener) {
      listening.serve(listener);
      opened.resolve(listener);
    },
    fail(error) {
      opened.promise.catch(() => {}); // reported by the caller
      opened.reject(error);
    },
  };
}
