import { hasTag } from '../../interaction/conditional-read.ts';
import type { Engine } from '../../interaction/interaction.ts';
import { makeOnce } from '../../limits/make-once.ts';
import { endWith } from './answer-rooms.ts';
import type { AnswerRooms } from './answer-rooms.ts';
import type { Handler, Respond } from '../context.ts';
import { findPartition } from '../request/partition.ts';

export const openApiPath = '/r4/:partition/openapi.json';

interface OpenApiParts {
  readonly engine: Engine;
  readonly publicUrl: string;
  readonly rooms: AnswerRooms;
}

/**
 * Answers with the OpenAPI description of the interface of a partition, or with 304 if the client has it. It is made at
 * the first request, and cached. https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument({ engine, publicUrl, rooms }: OpenApiParts, respond: Respond): Handler {
  const load = makeOnce(async () => {
    const { createOpenApi } = await import('../../openapi/document.ts'); // not before the server starts
    return createOpenApi(engine);
  });
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return async context => {
    const partition = await findPartition(engine.store, publicUrl, context.state.params['partition']);
    const { text, etag } = (await load())(`${publicUrl}/r4/${partition.id}`);
    const noneMatch = context.req.headers['if-none-match'];
    if (noneMatch !== undefined && hasTag(noneMatch, etag)) return respond(context, { status: 304, etag });
    const room = rooms.open(context.state.address);
    room.take(text.length);
    endWith(context.res, room);
    return respond(context, { status: 200, body: text, etag, headers });
  };
}
