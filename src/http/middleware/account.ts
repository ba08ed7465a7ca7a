import type { Audit } from '../../audit/audit.ts';
import type { AuditedRequest } from '../../audit/request.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { ClientAddress } from '../client-address.ts';
import type { Context, Middleware, Step } from '../context.ts';
import type { Shape } from '../routes.ts';

/**
 * Accounts for each request that asks for records, when it is answered: refusals too, and also where the client is gone. Whoever
 * is refused before it is known who asks is counted with those alike.
 */
export function account(audit: Audit, clientAddress: ClientAddress): Middleware {
  return async (context, next) => {
    const { state, req } = context;
    state.address = clientAddress(req);
    state.origin = {};
    try {
      await next();
    } finally {
      if (asksForRecords(state.pattern, req.url)) tell(audit, context);
    }
  };
}

/** Refuses with 503 where nobody could tell afterwards what was asked. */
export function checkAudit(audit: Audit, shape: Shape): Step {
  return isPublic(shape) ? () => {} : () => audit.require();
}

const prefix = '/r4/';

/** What has no pattern was refused before its path was looked at, or has none that is offered. */
const asksForRecords = (pattern: string | undefined, url = ''): boolean =>
  pattern === undefined ? url.startsWith(prefix) : pattern.startsWith(prefix) && !isPublic(pattern);

/** What everybody may read holds no record. */
const isPublic = (pattern: string): boolean =>
  pattern === ('/r4/:partition/metadata' satisfies Shape) || pattern.includes('/.well-known/');

function tell(audit: Audit, context: Context): void {
  const { state } = context;
  const { status = 500, records = [] } = state.response ?? {};
  const known = state.access as typeof state.access | undefined; // it is set by the guard, if the request came so far
  const partition = state.partition as typeof state.partition | undefined; // likewise
  if (known === undefined || partition === undefined) audit.refused(status, partition?.id, state.address);
  else audit.answered(requestOf(context), { status, records });
}

function requestOf(context: Context): AuditedRequest {
  const { state, method } = context;
  const { requestId, origin, address, access, partition } = state;
  const route = (state.route as typeof state.route | undefined) ?? {}; // not set where nothing such is offered
  return { requestId, origin, address, access, partition, method, ...route, query: queryOf(context) };
}

/** What was searched for, as a URL says it; never with a token. */
function queryOf({ state, method }: Context): string | undefined {
  const { query, path, partition, route } = state;
  const parameters = state.parameters as typeof state.parameters | undefined; // not set where they were refused
  const of = path.slice(prefix.length + partition.id.length + 1);
  if ((route as typeof route | undefined)?.operation !== undefined && query === '') return of; // nothing else names it
  if (parameters !== undefined && method !== 'POST') return query === '' ? undefined : `${of}?${query}`;
  const pairs = parameters ?? pairsIn(query);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
  return text === '' ? undefined : `${of}?${text}`;
}

/** What can be read of a query that was refused. */
function pairsIn(query: string): readonly (readonly [string, string])[] {
  try {
    return parsePairs(query).filter(([name]) => name !== 'access_token');
  } catch {
    return [];
  }
}
