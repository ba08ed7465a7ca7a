import type { Log } from '../../observability/log.ts';
import type { ClientAddress } from '../connection/client-address.ts';
import type { Step } from '../context.ts';

/** Logs one line per request, when its answer is complete or the client has disconnected. */
export function accessLog(log: Log, clientAddress: ClientAddress): Step {
  if (!log.requests) return () => {};
  return context => {
    const started = performance.now();
    const { req, res, state } = context;
    const client = clientAddress(req);
    res.once('close', () =>
      log.request({
        method: req.method ?? '',
        route: state.pattern ?? 'none',
        interaction: state.partialRequest?.route?.interaction,
        status: res.headersSent ? res.statusCode : 0,
        complete: res.writableFinished,
        milliseconds: performance.now() - started,
        requestId: state.requestId,
        client,
      }),
    );
  };
}
