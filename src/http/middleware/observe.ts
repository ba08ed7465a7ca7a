import type { Model } from '../../model/model.ts';
import type { Meters } from '../../observability/meters.ts';
import type { Traces } from '../../observability/traces.ts';
import type { Middleware } from '../context.ts';
import { requestKind } from '../request/request-kind.ts';

/** Measures each request, when its answer is complete or the client has disconnected. */
export function measured(meters: Meters, model: Model): Middleware {
  return (context, next) => {
    const began = performance.now();
    const { res, state } = context;
    res.once('close', () =>
      meters.request({
        ...requestKind(state, model),
        status: res.writableFinished ? res.statusCode : undefined,
        milliseconds: performance.now() - began,
      }),
    );
    return next();
  };
}

/** Runs each request in a span. */
export function traced(traces: Traces, model: Model): Middleware {
  return ({ req, res, state }, next) =>
    traces.request(
      req.headers,
      () => ({
        ...requestKind(state, model),
        method: req.method ?? '',
        route: state.pattern,
        status: res.statusCode,
      }),
      next,
    );
}
