import Koa from 'koa';
import type { TokenVerifier } from '../auth/claims.ts';
import type { Engine } from '../interaction/interaction.ts';
import type { Log } from '../observability/log.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import { authorization } from '../smart/authorization.ts';
import type { Authorization } from '../smart/authorization.ts';
import { shapePaths } from '../interaction/routes.ts';
import type { AnswerRooms, Places } from './connection/places.ts';
import type { ResourceLimits } from './body/resource.ts';
import type { ClientAddress } from './connection/client-address.ts';
import type { Context, Handler, Middleware, RequestState, Respond } from './context.ts';
import { explorer, missingPage } from './explorer.ts';
import type { Pages } from './explorer.ts';
import { answerFhir } from './request/fhir-request.ts';
import { healthz, readyz } from './answer/health.ts';
import { audit } from './middleware/audit.ts';
import { identified } from './middleware/observe.ts';
import { cors } from './middleware/cors.ts';
import type { Origins } from './middleware/cors.ts';
import { answerErrors } from './answer/respond.ts';
import { discovery, openApiDocument, smartConfiguration } from './answer/well-known.ts';
import { createRouter, findPath, readMethods } from './router.ts';
import type { PathRoute } from './router.ts';
import { checkTarget } from './request/target.ts';
import type { Uploads } from './body/uploads.ts';

export interface AppOptions {
  readonly engine: Engine;
  readonly publicUrl: string;
  /** Undefined for a server with open access. */
  readonly verify: TokenVerifier | undefined;
  /** The authorization server, if it runs. */
  readonly authorized:
    { readonly load: () => Promise<Authorization>; readonly sendsIss: () => Promise<boolean> } | undefined;
  /** Loads the pages for browsers; undefined without them. */
  readonly pages?: (() => Promise<Pages>) | undefined;
  /** The origins of registered apps; undefined if there are none. */
  readonly origins: Origins | undefined;
  /** On every answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResourceLimits;
  readonly uploads: Uploads;
  readonly rooms: AnswerRooms;
  readonly places: Places;
  readonly respond: Respond;
  readonly clientAddress: ClientAddress;
  /** Around all other steps; none if nothing is measured or traced. */
  readonly observers?: readonly Middleware[];
  readonly closing: () => boolean;
  readonly log: Log;
}

/** The koa app: the steps of a request in their order. */
export function createApp(options: AppOptions): Koa<RequestState> {
  const {
    engine,
    publicUrl,
    verify,
    authorized,
    pages,
    origins,
    headers,
    body,
    uploads,
    rooms,
    places,
    respond,
    clientAddress,
    observers = [],
    closing,
    log,
  } = options;
  const parts = { engine, publicUrl, verify, body, uploads, rooms };
  const ofPartition: readonly PathRoute[] = [
    openApiDocument(parts, respond),
    ...(verify === undefined ? [] : [smartConfiguration(parts, respond)]),
  ];
  const inPlaces = (routes: readonly PathRoute[]): readonly PathRoute[] =>
    routes.map(route => ({ ...route, handler: inPlace(places, route.handler) }));
  const fhir = shapePaths.map((path): PathRoute => ({ path, handler: answerFhir(parts, path, respond) }));

  const app = new App();
  for (const observer of observers) app.use(observer);
  app.use(identified(log, clientAddress)); // first: the log and every answer have the id
  app.use(cors(origins, respond)); // before the audit: a preflight requests no record
  app.use(audit(engine.audit)); // around all handlers, for refusals too
  app.use(answerErrors(respond, log, engine.now)); // around all steps that may throw
  app.use(checkTarget(engine.maxUrl, verify === undefined ? publicUrl : undefined));
  if (pages !== undefined) app.use(explorer(pages, places, ['/openapi.json']));
  app.use(findPath(inPlaces([...ofPartition, ...fhir])));
  app.use(
    createRouter([
      // Also while no place is free: probes ask whether the process is alive.
      { path: '/healthz', methods: readMethods, handler: healthz(respond) },
      { path: '/readyz', methods: readMethods, handler: readyz(respond, engine, closing) },
      ...inPlaces(engine.offered === undefined ? [] : discovery(engine.offered, authorized?.sendsIss, respond)),
      // After the discovery document, which has the same path. It takes its places itself.
      ...(authorized === undefined ? [] : authorization(authorized.load, headers, engine.audit, places, log)),
    ]).routes(),
  );
  if (pages !== undefined) app.use(missingPage(pages, places, ({ state }) => nothingHere(publicUrl, state.path)));
  app.use(({ state }) => Promise.reject(nothingHere(publicUrl, state.path)));
  app.on('error', (error: NodeJS.ErrnoException) => {
    // these two mean that the client disconnected
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') log.fault(error, 'none');
  });
  return app;
}

/**
 * Koa without its own end of a request: our handlers answer themselves (`respond`), and no body is a stream, for whose
 * errors koa listens to each response and its socket. That costs 5 µs a request. A koa that does not call this method
 * any more would only be slower.
 */
class App extends Koa<RequestState> {
  async handleRequest(context: Context, run: (context: Context) => Promise<void>): Promise<void> {
    try {
      await run(context);
      if (context.respond !== false) throw new Error('No step has answered the request');
    } catch (error) {
      context.onerror(error as Error); // koa accepts any value
    }
  }
}

/** FhirError 404 for a path of nothing, with the base URL, and the path with the slash that is missing in it. */
function nothingHere(publicUrl: string, path: string): FhirError {
  const [, partition, rest] = /^\/r4\/*([a-z0-9-]{1,32})((?:\/[\w.$*-]{1,64}){0,5}\/?)$/.exec(path) ?? [];
  const hint = partition === undefined ? '' : ` Did you mean \`${publicUrl}/r4/${partition}${rest ?? ''}\`?`;
  const text = `Nothing exists under this path. The base URL of FHIR is \`${publicUrl}/r4/{partition}\`.${hint}`;
  return fhirError(404, 'not-found', text);
}

/** Answers a request while it holds a place. */
function inPlace(places: Places, handler: Handler): Handler {
  return async context => {
    const place = places.enter(context.req, context.state.address);
    try {
      await handler(context);
    } finally {
      place.leave();
    }
  };
}
