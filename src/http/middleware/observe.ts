import { randomUUID } from 'node:crypto';
import type { Model } from '../../model/model.ts';
import type { Meters } from '../../observability/meters.ts';
import type { Traces } from '../../observability/traces.ts';
import type { Context, Middleware, RequestState } from '../context.ts';
import { explorerPattern } from '../explorer.ts';
import type { Log } from '../../observability/log.ts';
import type { ClientAddress } from '../connection/client-address.ts';

/**
 * Gives each request its id and the address of its client, and logs one line, when its answer is complete or the client
 * has disconnected. The id is the client's X-Request-Id if that consists of letters, digits and `.`, `_`, `-`, `:` (64
 * at most), since it is logged; else a new one, and the client's is returned in X-Correlation-Id.
 * https://hl7.org/fhir/R4/http.html#custom
 */
export function identified(log: Log, clientAddress: ClientAddress): Middleware {
  return (context, next) => {
    const { req, state } = context;
    const given = req.headers['x-request-id'];
    if (typeof given === 'string' && /^[A-Za-z0-9._:-]{1,64}$/.test(given)) state.requestId = given;
    else {
      state.requestId = randomUUID();
      if (typeof given === 'string' && /^[\x20-\x7e]{1,256}$/.test(given)) state.correlationId = given;
    }
    state.address = clientAddress(req);
    if (log.requests) logWhenAnswered(log, context);
    return next();
  };
}

function logWhenAnswered(log: Log, { req, res, state }: Context): void {
  const started = performance.now();
  res.once('close', () =>
    log.request({
      method: req.method ?? '',
      route: state.pattern ?? 'none',
      interaction: state.partialRequest?.route?.interaction,
      status: res.headersSent ? res.statusCode : 0,
      complete: res.writableFinished,
      milliseconds: performance.now() - started,
      requestId: state.requestId,
      client: state.address,
    }),
  );
}

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

/** What a request was for, in few different words: for metrics and traces. */
interface RequestKind {
  /**
   * The interaction; an operation as `$name`; else `token`, `authorization`, `discovery`, `health`, `explorer`, or
   * `none`.
   */
  readonly interaction: string;
  /** A declared resource type; `undeclared` for any other, `none` without one. */
  readonly type: string;
}

/** Classifies a request by its matched pattern and its route; text of the client never becomes a word. */
function requestKind({ partialRequest, pattern, params }: RequestState, { types }: Model): RequestKind {
  const route = partialRequest?.route;
  const type = route?.resourceType ?? params?.['type'];
  return {
    interaction:
      route === undefined
        ? kindOfPath(pattern)
        : route.operation === undefined
          ? route.interaction
          : `$${route.operation}`,
    type: type === undefined ? 'none' : types.has(type) ? type : 'undeclared',
  };
}

function kindOfPath(pattern = ''): string {
  if (pattern === '/healthz' || pattern === '/readyz') return 'health';
  if (pattern === explorerPattern) return 'explorer';
  if (pattern.includes('/.well-known/')) return 'discovery';
  if (pattern === '/auth/token') return 'token';
  return pattern.startsWith('/auth/') ? 'authorization' : 'none';
}
