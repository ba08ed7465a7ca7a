import type { Audit } from '../../audit/audit.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { PartialRequest, Context, Middleware, RequestState } from '../context.ts';
import type { Shape } from '../../interaction/routes.ts';
import { openApiPath } from '../answer/well-known.ts';

/**
 * Audits each request for records when it is answered: also a rejected one, and one whose client has disconnected.
 * Unauthenticated refusals are counted together.
 */
export function audit(audit: Audit): Middleware {
  let requests = 0;
  return async (context, next) => {
    const { state, req } = context;
    state.requestKey = requests++;
    try {
      await next();
    } finally {
      if (asksForRecords(state.pattern, req.url)) auditRequest(audit, context);
    }
  };
}

const prefix = '/r4/';

/** A request without a pattern was rejected before its path was matched, or matches none. */
const asksForRecords = (pattern: string | undefined, url = ''): boolean =>
  pattern === undefined ? url.startsWith(prefix) : pattern.startsWith(prefix) && !isPublic(pattern);

/** Public resources contain no record. */
export const isPublic = (pattern: string): boolean =>
  pattern === ('/r4/:partition/metadata' satisfies Shape) ||
  pattern === openApiPath ||
  pattern.includes('/.well-known/');

function auditRequest(audit: Audit, { state, method }: Context): void {
  const {
    requestId,
    requestKey,
    address,
    partialRequest: asked = {},
    response: { status = 500, records = [], job, patients } = {},
  } = state;
  const { access, partition, route } = asked;
  if (access === undefined || partition === undefined) return audit.refused(status, partition?.id, address);
  const query = queryOf(state, method, asked, partition.id);
  const request = {
    requestId,
    requestKey,
    address,
    access,
    partition,
    method,
    interaction: route?.interaction,
    resourceType: route?.resourceType,
    id: route?.id,
    query,
  };
  return audit.answered(request, { status, records, job: job ?? route?.job, patients });
}

/** The search, in the form of a URL; never with a token. */
function queryOf(
  { query, path }: RequestState,
  method: string,
  { route, parameters }: PartialRequest,
  partition: string,
): string | undefined {
  const of = path.slice(prefix.length + partition.length + 1);
  const isNamed = route?.operation === undefined && route?.compartment === undefined;
  if (!isNamed && query === '' && (parameters ?? []).length === 0) return of; // nothing else names it
  if (parameters !== undefined && method !== 'POST') return query === '' ? undefined : `${of}?${query}`;
  const pairs = parameters ?? pairsIn(query);
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
  return text === '' ? undefined : `${of}?${text}`;
}

/** The readable part of the query of a rejected request. */
function pairsIn(query: string): readonly (readonly [string, string])[] {
  try {
    return parsePairs(query).filter(([name]) => name !== 'access_token');
  } catch {
    return [];
  }
}
