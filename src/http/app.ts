import Koa from 'koa';
import type { TokenVerifier } from '../auth/claims.ts';
import type { Engine } from '../interaction/interaction.ts';
import type { Log } from '../observability/log.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import { authorization } from '../smart/authorization.ts';
import type { Authorization } from '../smart/authorization.ts';
import type { AnswerRooms } from './answer/answer-rooms.ts';
import type { ResourceLimits } from './body/resource.ts';
import type { ClientAddress } from './connection/client-address.ts';
import type { Context, Handler, Middleware, RequestState, Respond } from './context.ts';
import { explorer, missingPage } from './explorer.ts';
import type { Pages } from './explorer.ts';
import { answerFhir } from './request/fhir-request.ts';
import { findPath } from './request/find-path.ts';
import { healthz, readyz } from './answer/health.ts';
import { inTurn } from './in-turn.ts';
import { audit } from './middleware/audit.ts';
import { accessLog } from './middleware/access-log.ts';
import { cors } from './middleware/cors.ts';
import type { Origins } from './middleware/cors.ts';
import { answerErrors } from './middleware/errors.ts';
import { findPartition } from './request/partition.ts';
import { requestId } from './middleware/request-id.ts';
import { openApiDocument, openApiPath } from './answer/openapi-document.ts';
import { requireOwnHost } from './request/own-host.ts';
import type { Places } from './connection/places.ts';
import { createRouter, readMethods } from './router.ts';
import type { PathRoute } from './router.ts';
import { shapePaths } from '../interaction/routes.ts';
import { checkTarget } from './request/target.ts';
import type { Uploads } from './body/uploads.ts';
import { discovery, smartConfiguration, smartConfigurationPath } from './answer/well-known.ts';

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
  const fhir = shapePaths.map((shape): [string, Handler] => [shape, answerFhir(parts, shape, respond)]);
  const document = smartConfiguration(engine.model, engine.offered, respond);
  const smart: PathRoute = {
    path: smartConfigurationPath,
    methods: readMethods,
    handler: async context => {
      await findPartition(engine.store, publicUrl, context.state.params['partition']);
      await document(context);
    },
  };
  const documents: readonly PathRoute[] = [
    { path: openApiPath, methods: readMethods, handler: openApiDocument({ engine, publicUrl, rooms }, respond) },
    ...(verify === undefined ? [] : [smart]),
    ...(engine.offered === undefined ? [] : discovery(engine.offered, authorized?.sendsIss, respond)),
  ];

  const app = new App();
  for (const observer of observers) app.use(observer);
  app.use(inTurn(requestId, accessLog(log, clientAddress))); // first: the log and every answer have the id
  app.use(cors(origins, respond)); // before the audit: a preflight requests no record
  app.use(audit(engine.audit, clientAddress)); // around all handlers, for refusals too
  app.use(answerErrors(respond, log, engine.now)); // around all steps that may throw
  app.use(inTurn(checkTarget(engine.maxUrl), ...(verify === undefined ? [requireOwnHost(publicUrl)] : [])));
  if (pages !== undefined) app.use(explorer(pages, places, ['/openapi.json']));
  app.use(
    findPath([
      [openApiPath, undefined], // within the FHIR paths
      ...(verify === undefined ? [] : [[smartConfigurationPath, undefined] as const]), // too
      ...fhir.map(([path, handler]) => [path, inPlace(places, handler)] as const),
    ]),
  );
  app.use(
    createRouter([
      // Also while no place is free: probes ask whether the process is alive.
      { path: '/healthz', methods: readMethods, handler: healthz(respond) },
      { path: '/readyz', methods: readMethods, handler: readyz(respond, engine, closing) },
      ...documents.map(route => ({ ...route, handler: inPlace(places, route.handler) })),
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
