import type { ServerResponse } from 'node:http';
import type { Audit } from '../audit/audit.ts';
import { endpoints } from './provider/endpoints.ts';
import type { Endpoint } from './provider/endpoints.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { OAuthError } from './provider/oauth-error.ts';
import { issuerPath } from '../auth/offered.ts';
import type { RenderError } from './provider/provider-parts.ts';
import { FhirError } from '../fhir/error.ts';
import { storeFailure } from '../interaction/answer-of.ts';
import type { Log } from '../observability/log.ts';
import type { Context, Handler } from '../http/context.ts';
import type { PathRoute } from '../http/router.ts';
import type { Place, Places } from '../http/connection/places.ts';

/** The handlers of the paths under `/auth`, created at the first request. */
export interface Authorization {
  readonly server: AuthorizationServer;
  /** False if no page has the path. */
  readonly pages: (request: Context['req'], response: ServerResponse) => Promise<boolean>;
  readonly renderError: RenderError;
}

/** A refusal or failure as these paths report it. */
interface AuthFailure {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The paths of the authorization server: endpoints for clients answer in JSON as OAuth defines, pages in HTML.
 * `headers` are sent with every answer unless it sets them itself. While audit events cannot be stored, no request is
 * served, as with records.
 */
export function authorization(
  load: () => Promise<Authorization>,
  headers: Readonly<Record<string, string>>,
  audit: Pick<Audit, 'require'>,
  places: Places,
  log: Log,
): readonly PathRoute[] {
  const begin = ({ res, state }: Context): void => {
    for (const [name, value] of Object.entries({ ...headers, ...noStoreHeaders })) res.setHeader(name, value);
    res.setHeader('X-Request-Id', state.requestId);
    if (state.correlationId !== undefined) res.setHeader('X-Correlation-Id', state.correlationId);
  };
  const refusalOf = (error: unknown, requestId: string): AuthFailure => {
    if (error instanceof OAuthError) {
      return { status: error.status, error: error.code, description: error.message, headers: error.headers };
    }
    const known = error instanceof FhirError ? error : storeFailure(error);
    if (known === undefined) log.fault(error, requestId);
    const status = known?.status ?? 500;
    return {
      status,
      error:
        status === 503 || status === 429
          ? 'temporarily_unavailable'
          : status >= 500
            ? 'server_error'
            : 'invalid_request',
      description: plain(known?.message ?? `The server failed. Its log has details under the request id ${requestId}.`),
      headers: known?.headers ?? {},
    };
  };

  /**
   * A handler of requests, which have a place while they are served; `work` answers. A refusal is JSON for clients, and
   * a page for browsers.
   */
  const handler =
    (audience: 'client' | 'browser', work: (context: Context) => Promise<void>): Handler =>
    async context => {
      const { req, res, state } = context;
      context.respond = false;
      begin(context);
      let place: Place | undefined;
      try {
        place = places.enter(req, state.address);
        await work(context);
      } catch (error) {
        const { status, headers: more, error: code, description } = refusalOf(error, state.requestId);
        if (res.headersSent || res.destroyed) return void res.destroy();
        if (!req.complete) req.resume(); // the rest is discarded, so that the client reads the answer
        if (audience === 'client')
          return sendJson(res, { status, headers: more, body: { error: code, error_description: description } });
        for (const [name, value] of Object.entries(more)) res.setHeader(name, value);
        await (await load()).renderError(req, res, { status, error: code, description });
      } finally {
        place?.leave();
      }
    };

  const ofEndpoint = (endpoint: Endpoint): Handler =>
    handler(endpoint.startsWith('/authorize') ? 'browser' : 'client', async ({ req, res, state }) => {
      if (endpoint !== '/jwks') audit.require(); // without it, no audit event would show who got a token
      const { server } = await load();
      const answer = await server.handle(endpoint, state.params['uid'] ?? state.query, req, res);
      if (answer !== undefined) sendJson(res, { status: 200, headers: {}, body: answer.body });
    });

  const wrongMethod: PathRoute['wrongMethod'] = async (context, allowed) => {
    context.respond = false;
    begin(context);
    sendJson(context.res, methodRefused(context.method, allowed));
  };

  const page = handler('browser', async ({ req, res, state }) => {
    if (!state.path.startsWith(assets)) audit.require();
    const { pages, renderError } = await load();
    if (await pages(req, res)) return;
    await renderError(req, res, { status: 404, error: 'not_found', description: undefined });
  });

  return [
    ...(Object.keys(endpoints) as Endpoint[]).map(endpoint => ({
      path: `${issuerPath}${endpoint}`,
      methods: endpoints[endpoint],
      handler: ofEndpoint(endpoint),
      wrongMethod,
    })),
    { path: issuerPath, handler: page },
    { path: `${issuerPath}/`, handler: page },
    { path: `${issuerPath}/*page`, handler: page },
  ];
}

/** Style and script of the pages. */
const assets = `${issuerPath}/assets/`;

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.1 */
const noStoreHeaders = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

interface AuthAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function sendJson(response: ServerResponse, { status, headers, body }: AuthAnswer): void {
  const text = JSON.stringify(body);
  const about = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, { ...headers, ...about }).end(text);
}

const methodRefused = (method: string, allowed: readonly string[]): AuthAnswer => ({
  status: 405,
  headers: { Allow: allowed.join(', ') },
  body: {
    error: 'invalid_request',
    error_description: `'${method}' is not supported; allowed: ${allowed.join(', ')}.`,
  },
});

/** The text with the characters that an error_description may have. */
const plain = (text: string): string => text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
