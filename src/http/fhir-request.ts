import type { IncomingMessage } from 'node:http';
import { requireScope } from '../auth/may.ts';
import type { TokenVerifier } from '../auth/claims.ts';
import { dispatch } from '../interaction/dispatch.ts';
import type { Engine, FhirRequest } from '../interaction/interaction.ts';
import { handlingOf } from '../interaction/prefer.ts';
import { createAccessOf } from './access.ts';
import type { BodyLimits } from './body.ts';
import type { Asked, Context, Handler, Respond } from './context.ts';
import { isPublic } from './middleware/account.ts';
import { contentTypeOf, prettyOf, readPairs, withoutForm } from './parameters.ts';
import { findPartition } from './partition.ts';
import { readResource } from './resource.ts';
import { resolveRoute } from './routes.ts';
import type { Shape } from './routes.ts';
import type { Uploads } from './uploads.ts';

/** What reading a request needs. */
export interface FhirRequestParts {
  readonly engine: Engine;
  readonly publicUrl: string;
  /** Undefined where the server runs open to all. */
  readonly verify: TokenVerifier | undefined;
  readonly body: BodyLimits;
  readonly uploads: Uploads;
}

/** Answers the requests of a shape: request value → interaction → response value. */
export function answerFhir(parts: FhirRequestParts, shape: Shape, respond: Respond): Handler {
  const read = createReadRequest(parts, shape);
  return async context => {
    const { request, free } = await read(context);
    try {
      await respond(context, await dispatch(parts.engine, request));
    } finally {
      free();
    }
  };
}

/** A request as a value, and what lets go of the memory that its body takes. */
interface ReadRequest {
  readonly request: FhirRequest;
  readonly free: () => void;
}

/**
 * Reads what a request asks for. What has been read so far stands in `state.asked`, from which log and audit tell of a
 * request that is refused on the way. Throws FhirError.
 */
function createReadRequest(parts: FhirRequestParts, shape: Shape): (context: Context) => Promise<ReadRequest> {
  const { engine, publicUrl, verify, body: limits, uploads } = parts;
  const { model, audit } = engine;
  const accessOf = createAccessOf(engine, verify, shape);
  return async context => {
    const { state, req, method } = context;
    const asked: Asked = {};
    state.asked = asked;
    if (!isPublic(shape)) audit.require(); // nobody could tell afterwards what was asked
    // Before the rest, so that nothing is told about a partition that is not there.
    const partition = await findPartition(engine.store, publicUrl, state.params['partition']);
    asked.partition = partition;
    const base = `${publicUrl}/r4/${partition.id}`;
    // Who asks: before it is told what is declared.
    const access = await accessOf(req, { query: state.query, base, partition });
    asked.access = access;
    const route = resolveRoute(model, shape, method, state.params);
    asked.route = route;
    requireScope(access, model, route, base); // before the body is read, which is refused with the rest
    const headers = headersOf(req);
    const pairs = await readPairs(context, route, base, limits);
    const handling = handlingOf(headers['prefer'], engine.handling);
    state.pretty = prettyOf(pairs, handling); // a refusal of the rest is written so already
    state.contentType = contentTypeOf(pairs, handling, req.headers.accept);
    const parameters = withoutForm(pairs);
    asked.parameters = parameters;
    // After all that may be refused without it.
    const body = await readResource(context, { route, model, limits, uploads });
    const { requestId, origin, address } = state;
    const bytes = body === undefined ? {} : { body: body.bytes };
    const request = {
      ...route,
      method,
      requestId,
      origin,
      address,
      access,
      partition,
      base,
      parameters,
      headers,
      ...bytes,
    };
    return { request, free: () => body?.free() };
  };
}

const heeded = ['prefer', 'if-none-match', 'if-modified-since', 'if-none-exist', 'idempotency-key'] as const;

/** The headers that interactions heed; Node joins those that are there more than once. */
function headersOf({ headers }: IncomingMessage): FhirRequest['headers'] {
  const found: Partial<Record<(typeof heeded)[number], string>> = {};
  for (const name of heeded) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
