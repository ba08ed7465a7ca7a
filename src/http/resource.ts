import type { IncomingMessage } from 'node:http';
import { declaredType } from '../interaction/declared.ts';
import type { Model } from '../model/model.ts';
import { readUpload } from './body.ts';
import type { Body, BodyLimits } from './body.ts';
import { bodyLimit, refuseEncoding, requireFhirJson } from './content.ts';
import type { Context } from './context.ts';
import type { Route } from './routes.ts';
import type { Uploads } from './uploads.ts';

/** What decides which resource is read, and how long it may be. */
interface Reading {
  readonly route: Route;
  readonly model: Model;
  readonly limits: BodyLimits;
  readonly uploads: Uploads;
}

/**
 * Reads the resource that a create or an operation sends, as bytes, for whoever frees it; undefined where none is sent.
 */
export async function readResource(
  { req, res, method }: Context,
  { route, model, limits: { most, timeout }, uploads }: Reading,
): Promise<Body | undefined> {
  if (!takesResource(route, method, req)) return undefined;
  refuseEncoding(req);
  requireFhirJson(req);
  const { attachment } = declaredType(model, route);
  return readUpload(req, res, { most: bodyLimit(attachment, most), timeout }, uploads);
}

/** An operation on what is here may come without a body. */
function takesResource({ interaction }: Route, method: string, { headers }: IncomingMessage): boolean {
  if (interaction !== 'operation') return interaction === 'create';
  const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  return method === 'POST' && !isEmpty;
}
