import type { Log } from '../../observability/log.ts';
import type { ClientAddress } from '../client-address.ts';
import type { Step } from '../context.ts';

/** One line a request, when its answer is out or the client is gone. */
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
        interaction: state.asked?.route?.interaction,
        status: res.headersSent ? res.statusCode : 0,
        complete: res.writableFinished,
        milliseconds: performance.now() - started,
        requestId: state.requestId,
        client,
      }),
    );
  };
}
