import type { IncomingMessage } from 'node:http';
import { requireScope } from '../../auth/may.ts';
import type { TokenVerifier } from '../../auth/claims.ts';
import { fhirError } from '../../fhir/error.ts';
import { bundleRoute } from '../../interaction/bundle/bundle-route.ts';
import { dispatch } from '../../interaction/dispatch.ts';
import type { Engine, FhirRequest } from '../../interaction/interaction.ts';
import { handlingOf } from '../../interaction/prefer.ts';
import type { AnswerRoom } from '../../interaction/answer-room.ts';
import { createAccessOf } from './access.ts';
import { endWith } from '../answer/answer-rooms.ts';
import type { AnswerRooms } from '../answer/answer-rooms.ts';
import type { PartialRequest, Context, Handler, Respond } from '../context.ts';
import { asksForContent, contentAnswer } from '../body/binary.ts';
import { isRepeated, utf8Of } from './header-lines.ts';
import { isPublic } from '../middleware/audit.ts';
import { contentTypeOf, prettyOf, readPairs, withoutForm } from './parameters.ts';
import { findPartition } from './partition.ts';
import { readResource, takesResource } from '../body/resource.ts';
import type { ResourceLimits } from '../body/resource.ts';
import { resolveRoute } from '../../interaction/routes.ts';
import type { Shape } from '../../interaction/routes.ts';
import type { Uploads } from '../body/uploads.ts';
import type { XmlBody } from '../body/xml-body.ts';

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

/** Answers the requests of a shape: request value → interaction → response value. */
export function answerFhir(parts: FhirRequestParts, shape: Shape, respond: Respond): Handler {
  const read = createReadRequest(parts, shape);
  return async context => {
    const { request, room, asksContent, xml, free } = await read(context);
    try {
      const answer = await dispatch(parts.engine, request);
      const located = xml === undefined ? answer : xml.locatedAnswer(answer);
      await respond(context, asksContent ? contentAnswer(located, context.req.headers.accept) : located);
    } catch (error) {
      throw xml === undefined ? error : xml.located(error);
    } finally {
      free();
      endWith(context.res, room);
    }
  };
}

/** A request as a value, and the function that frees the memory of its body. */
interface ReadRequest {
  readonly request: FhirRequest;
  /** Whether it is answered with the content of a Binary, in its own media type. */
  readonly asksContent: boolean;
  readonly room: AnswerRoom;
  /** The body as XML, if it is. */
  readonly xml: XmlBody | undefined;
  readonly free: () => void;
}

/**
 * Reads a request. The parts read so far are in `state.asked`, for the log and audit of a request that is rejected on
 * the way. Throws FhirError.
 */
function createReadRequest(parts: FhirRequestParts, shape: Shape): (context: Context) => Promise<ReadRequest> {
  const { engine, publicUrl, verify, body: limits, uploads, rooms } = parts;
  const { model, audit } = engine;
  const accessOf = createAccessOf(engine, verify, shape);
  return async context => {
    const { state, req, method } = context;
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
    const found = resolveRoute(model, shape, method, state.params);
    asked.route = found;
    requireScope(access, model, found, base); // before the body is read, which a refusal discards
    const headers = headersOf(req);
    const read = readPairs(context, found, base, limits);
    const pairs = read instanceof Promise ? await read : read;
    const handling = handlingOf(headers['prefer'], engine.handling);
    state.pretty = prettyOf(pairs, handling); // a later refusal has the same format
    const asksContent = asksForContent(found, pairs, req.headers.accept);
    state.contentType = contentTypeOf(pairs, handling, asksContent ? undefined : req.headers.accept);
    const parameters = withoutForm(pairs);
    asked.parameters = parameters;
    // After all checks that do not need it.
    const takesBody = takesResource(found, method, req);
    const body = takesBody ? await readResource(context, { route: found, model, limits, uploads }) : undefined;
    const route = bundleRoute(model, found, body?.bytes);
    asked.route = route;
    const { requestId, requestKey, address } = state;
    state.room = rooms.open(address);
    // Field by field, which is faster than a spread and gives all requests one shape.
    const request = {
      interaction: route.interaction,
      resourceType: route.resourceType,
      id: route.id,
      compartment: route.compartment,
      version: route.version,
      operation: route.operation,
      method,
      requestId,
      requestKey,
      address,
      access,
      partition,
      base,
      parameters,
      headers,
      body: body?.bytes,
      contentType: body?.contentType,
      room: state.room,
    };
    return { request, room: request.room, asksContent, xml: body?.xml, free: () => body?.free() };
  };
}

const heeded = [
  'prefer',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'if-none-exist',
  'idempotency-key',
] as const;

/**
 * The headers that interactions use; Node joins repeated ones. Throws FhirError 400 for several If-None-Exist, whose
 * join would read as a list of alternatives.
 */
function headersOf({ headers, rawHeaders }: IncomingMessage): FhirRequest['headers'] {
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
