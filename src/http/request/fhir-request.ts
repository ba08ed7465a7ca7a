import type { IncomingMessage } from 'node:http';
import type { TokenVerifier } from '../../auth/claims.ts';
import { fhirError } from '../../fhir/error.ts';
import { bundleInteraction } from '../../interaction/bundle/read-entries.ts';
import { dispatch } from '../../interaction/dispatch.ts';
import type { Engine, Handling, ReceivedParts, RequestHeaders, Route } from '../../interaction/interaction.ts';
import type { QueryPair } from '../../search/request.ts';
import { endWith } from '../connection/places.ts';
import type { AnswerRooms } from '../connection/places.ts';
import type { Handler, PartialRequest, Respond } from '../context.ts';
import { hasNoBody } from '../body/body.ts';
import { asksForContent, contentAnswer } from '../body/binary.ts';
import { isPublic } from '../middleware/audit.ts';
import { readResource } from '../body/resource.ts';
import type { ReceivedBody, ResourceLimits } from '../body/resource.ts';
import { hasOwnFormat } from '../../model/operation-call.ts';
import { resolveRoute } from '../../interaction/routes.ts';
import type { Shape } from '../../interaction/routes.ts';
import type { Uploads } from '../body/uploads.ts';
import { createAccessOf, findPartition } from './access.ts';
import { isRepeated, utf8Of } from './target.ts';
import { contentTypeOf, defaultContentType, prettyOf, readPairs, withoutForm } from './negotiate.ts';

/** The dependencies of reading a request. */
export interface FhirRequestParts {
  readonly engine: Engine;
  readonly publicUrl: string;
  /** Undefined for a server with open access. */
  readonly verify: TokenVerifier | undefined;
  readonly body: ResourceLimits;
  readonly uploads: Uploads;
  readonly rooms: AnswerRooms;
}

/**
 * Answers the requests of a shape: request value → dispatch → response value. What is known of a request so far is in
 * `state.partialRequest`, for the log and the audit of one that is refused. Throws FhirError.
 */
export function answerFhir(parts: FhirRequestParts, shape: Shape, respond: Respond): Handler {
  const { engine, publicUrl, verify, body: limits, uploads, rooms } = parts;
  const { model, audit } = engine;
  const accessOf = createAccessOf(engine, verify, shape);
  return async context => {
    const { state, req, method } = context;
    const { requestId, requestKey, address } = state;
    const { accept } = req.headers;
    const asked: PartialRequest = {};
    state.partialRequest = asked;
    if (!isPublic(shape)) audit.require(); // no audit event would show the request
    // Before the rest, so that nothing is revealed about a partition that does not exist.
    const partition = await findPartition(engine.store, publicUrl, state.params['partition']);
    asked.partition = partition;
    const base = `${publicUrl}/r4/${partition.id}`;
    // Authentication: before the declared types are revealed.
    const access = await accessOf(req, { query: state.query, base, partition });
    asked.access = access;
    const route = resolveRoute(model, shape, method, state.params);
    asked.route = route;
    const headers = headersOf(req);
    const room = rooms.open(address);
    state.room = room;
    let body: ReceivedBody | undefined;
    let asksContent = false;
    const sent = { ...route, method, requestId, requestKey, address, access, partition, base, headers, room };
    const receive = async (handling: Handling): Promise<ReceivedParts> => {
      const read = readPairs(context, route, base, limits);
      const pairs = read instanceof Promise ? await read : read;
      state.pretty = prettyOf(pairs, handling); // a later refusal has the same format
      asksContent = route.resourceType === 'Binary' && asksForContent(route, pairs, accept);
      const ownFormat = route.operation !== undefined && hasOwnFormat(model, route);
      state.contentType = ownFormat
        ? defaultContentType
        : contentTypeOf(pairs, handling, asksContent ? undefined : accept);
      const parameters = withoutForm(pairs, ownFormat);
      asked.parameters = parameters;
      // After all checks that do not need it.
      if (!takesResource(route, req)) return { parameters };
      body = await readResource(context, { route, model, limits, uploads });
      const { bytes, contentType } = body;
      if (route.interaction !== 'batch') return { parameters, body: bytes, contentType };
      const bundle = bundleInteraction(model, bytes);
      asked.route = { ...route, interaction: bundle };
      return { parameters, body: bytes, bundle };
    };
    try {
      const answer = await dispatch(engine, { ...sent, parameters: none }, receive);
      const located = body?.xml?.locatedAnswer(answer) ?? answer;
      await respond(context, asksContent ? contentAnswer(located, accept) : located);
    } catch (error) {
      throw body?.xml?.located(error) ?? error;
    } finally {
      body?.free();
      endWith(context.res, room);
    }
  };
}

/** Whether a request has a body to read. An operation on a stored resource may come without one. */
const takesResource = ({ interaction }: Route, request: IncomingMessage): boolean =>
  interaction === 'operation'
    ? request.method === 'POST' && !hasNoBody(request)
    : interaction === 'create' || interaction === 'update' || interaction === 'patch' || interaction === 'batch';

const none: readonly QueryPair[] = [];

const heeded = [
  'accept',
  'prefer',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-none-exist',
  'idempotency-key',
  'accept-language',
] as const;

/**
 * The headers that interactions use; Node joins repeated ones. Throws FhirError 400 for several If-None-Exist, whose
 * join would read as a list of alternatives.
 */
function headersOf({ headers, rawHeaders }: IncomingMessage): RequestHeaders {
  if (headers['if-none-exist'] !== undefined && isRepeated(rawHeaders, 'if-none-exist')) {
    const text = 'The header If-None-Exist is repeated: send it once.';
    throw fhirError(400, 'invalid', text, 'http."If-None-Exist"');
  }
  const found: Partial<Record<(typeof heeded)[number], string>> = {};
  for (const name of heeded) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = name === 'if-none-exist' ? utf8Of(value, 'If-None-Exist') : value;
  }
  return found;
}
