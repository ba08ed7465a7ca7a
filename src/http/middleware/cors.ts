import { issuerPath } from '../../auth/offered.ts';
import type { Context, Middleware, Next, Respond } from '../context.ts';
import { splitTarget } from '../request/target.ts';

/** The web origins of registered apps. */
export type Origins = () => Promise<ReadonlySet<string>>;

/**
 * Lets pages of other origins read answers, refusals too: any origin for public documents, registered apps for records
 * and tokens. Cookies are ignored there; registered apps may send them, since some clients always do and could read
 * nothing otherwise. Preflights are answered before any other check; those of other origins allow nothing. Without
 * `origins` no page reads records, as with open access, where any page in a browser on the same machine could.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(origins: Origins | undefined, respond: Respond): Middleware {
  const answer = async (context: Context, next: Next, policy: Policy): Promise<unknown> => {
    const { req } = context;
    const { origin } = req.headers;
    const allowed = policy.isPublic ? '*' : (await isRegistered(origins, origin)) ? origin : undefined;
    if (
      origin !== undefined &&
      req.method === 'OPTIONS' &&
      req.headers['access-control-request-method'] !== undefined
    ) {
      const headers = allowed === undefined ? {} : preflight(allowed, policy);
      return respond(context, { status: 204, headers });
    }
    // On Node's response, so that every handler's answer has them.
    if (!policy.isPublic) context.res.setHeader('Vary', 'Origin');
    if (allowed !== undefined) {
      context.res.setHeader(allowOrigin, allowed);
      if (!policy.isPublic) context.res.setHeader(allowCredentials, 'true');
      context.res.setHeader('Access-Control-Expose-Headers', exposed);
    }
    return next();
  };
  return (context, next) => {
    const { headers, url = '/' } = context.req;
    const policy = policyOf(splitTarget(url).path);
    const isOther = policy === undefined || (headers.origin === undefined && !policy.isPublic);
    return isOther ? next() : answer(context, next, policy);
  };
}

interface Policy {
  /** True for documents that every page may read. */
  readonly isPublic: boolean;
  readonly methods: string;
}

const documents: Policy = { isPublic: true, methods: 'GET, HEAD' };
const records: Policy = { isPublic: false, methods: 'GET, HEAD, POST, PUT, PATCH, DELETE' };
const tokens: Policy = { isPublic: false, methods: 'GET, HEAD, POST' };

/** Undefined for pages, and for paths about the server itself. */
function policyOf(path: string): Policy | undefined {
  if (/^\/r4\/[^/]+\/(?:metadata|openapi\.json|\.well-known\/[^/]+)$/.test(path)) return documents;
  if (path.startsWith('/r4/')) return records;
  if (path.startsWith('/.well-known/') || path.startsWith(`${issuerPath}/.well-known/`)) return documents;
  if (path === `${issuerPath}/jwks`) return documents;
  return tokenPaths.includes(path) ? tokens : undefined;
}

const tokenPaths = ['token', 'introspect', 'revoke', 'userinfo'].map(name => `${issuerPath}/${name}`);

const allowOrigin = 'Access-Control-Allow-Origin';
const allowCredentials = 'Access-Control-Allow-Credentials';

/** Headers that FHIR clients send in addition to the CORS-safelisted ones. */
const sent =
  'Authorization, Content-Type, Accept, Prefer, If-Match, If-None-Match, If-None-Exist, ' +
  'If-Modified-Since, If-Unmodified-Since, Idempotency-Key, X-Security-Context, ' +
  'Cache-Control, Pragma, X-Requested-With, X-Request-Id, X-Correlation-Id, X-Medplum, Traceparent, Tracestate';

/** Headers that pages may read in addition to the CORS-safelisted ones. */
const exposed =
  'Location, Content-Location, ETag, Last-Modified, WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, ' +
  'X-Request-Id, X-Correlation-Id, X-Security-Context';

const preflight = (origin: string, { isPublic, methods }: Policy): Readonly<Record<string, string>> => ({
  [allowOrigin]: origin,
  ...(isPublic ? {} : { [allowCredentials]: 'true' }),
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': sent,
  'Access-Control-Max-Age': '600',
});

/** An origin that cannot be looked up is not registered: the request fails for the same reason. */
async function isRegistered(origins: Origins | undefined, origin = ''): Promise<boolean> {
  try {
    return (await origins?.())?.has(origin) === true;
  } catch {
    return false;
  }
}
