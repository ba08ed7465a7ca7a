import { openidConfigurationOf, smartConfigurationOf } from '../../auth/smart-configuration.ts';
import { issuerPath } from '../../auth/offered.ts';
import type { Offered } from '../../auth/offered.ts';
import type { Handler, Respond } from '../context.ts';
import { readMethods } from '../router.ts';
import type { PathRoute } from '../router.ts';
import { hasTag } from '../../interaction/read.ts';
import type { OpenApi } from '../../openapi/document.ts';
import { withProgress } from '../../interaction/stored-progress.ts';
import type { Engine } from '../../interaction/interaction.ts';
import { makeOnce } from '../../limits/cache.ts';
import { findPartition } from '../request/access.ts';
import { endWith } from '../connection/places.ts';
import type { AnswerRooms } from '../connection/places.ts';

export const openApiPath = '/r4/:partition/openapi.json';

/** What the documents of a partition need. */
interface DocumentParts {
  readonly engine: Engine;
  readonly publicUrl: string;
  readonly rooms: AnswerRooms;
}

/**
 * Answers with the OpenAPI description of the interface of a partition, or with 304 if the client has it. It is made at
 * the first request, and cached. https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument({ engine, publicUrl, rooms }: DocumentParts, respond: Respond): PathRoute {
  const documents = new WeakMap<Engine, () => Promise<(base: string) => OpenApi>>();
  const documentOf = (own: Engine): Promise<(base: string) => OpenApi> => {
    const load =
      documents.get(own) ??
      makeOnce(async () => {
        const { createOpenApi } = await import('../../openapi/document.ts'); // not before the server starts
        return createOpenApi(own);
      });
    documents.set(own, load);
    return load();
  };
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  const handler: Handler = async context => {
    const partition = await findPartition(engine.store, publicUrl, context.state.params['partition']);
    const own = await withProgress(engine.in(partition), partition.id);
    const { text, etag } = (await documentOf(own))(`${publicUrl}/r4/${partition.id}`);
    const noneMatch = context.req.headers['if-none-match'];
    if (noneMatch !== undefined && hasTag(noneMatch, etag)) return respond(context, { status: 304, etag });
    const room = rooms.open(context.state.address);
    room.take(text.length);
    endWith(context.res, room);
    return respond(context, { status: 200, body: text, etag, headers });
  };
  return { path: openApiPath, methods: readMethods, handler };
}

/**
 * The public metadata of a partition, the first request of SMART apps.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known
 */
export function smartConfiguration({ engine, publicUrl }: DocumentParts, respond: Respond): PathRoute {
  const answer = publicDocument(smartConfigurationOf(engine.model, engine.offered), respond);
  const handler: Handler = async context => {
    await findPartition(engine.store, publicUrl, context.state.params['partition']);
    await answer(context);
  };
  return { path: '/r4/:partition/.well-known/smart-configuration', methods: readMethods, handler };
}

/**
 * The discovery document at both of its addresses.
 * https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig and
 * https://www.rfc-editor.org/rfc/rfc8414#section-3
 */
export function discovery(
  offered: Offered,
  sendsIss: () => Promise<boolean> = async () => true,
  respond: Respond,
): readonly PathRoute[] {
  const [whole, without] = [true, false].map(iss => publicDocument(openidConfigurationOf(offered, iss), respond));
  // While the clients cannot be read, it is not promised.
  const handler: Handler = async context => ((await sendsIss().catch(() => false)) ? whole : without)?.(context);
  return [
    { path: `${issuerPath}/.well-known/openid-configuration`, methods: readMethods, handler },
    { path: `/.well-known/oauth-authorization-server${issuerPath}`, methods: readMethods, handler },
  ];
}

/** Answers every client with one document, always as plain JSON. */
function publicDocument(document: object, respond: Respond): Handler {
  const body = JSON.stringify(document);
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return async context => {
    await respond(context, { status: 200, body, headers });
  };
}
