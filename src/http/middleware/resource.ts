import { declaredType } from '../../interaction/declared.ts';
import type { Model } from '../../model/model.ts';
import { readUpload } from '../body.ts';
import type { BodyLimits } from '../body.ts';
import { bodyLimit, refuseEncoding, requireFhirJson } from '../content.ts';
import type { Context, Middleware } from '../context.ts';
import type { Uploads } from '../uploads.ts';

/** Reads the resource that a create or an operation sends, as bytes, and lets go of it when the request is answered or refused. */
export function readResource(model: Model, { most, timeout }: BodyLimits, uploads: Uploads): Middleware {
  return async (context, next) => {
    const { state, req, res } = context;
    if (!takesResource(context)) return next();
    refuseEncoding(req);
    requireFhirJson(req);
    const { attachment } = declaredType(model, state.route);
    const body = await readUpload(req, res, { most: bodyLimit(attachment, most), timeout }, uploads);
    state.body = body.bytes;
    try {
      return await next();
    } finally {
      body.free();
    }
  };
}

/** An operation on what is here may come without a body. */
function takesResource({ state, req, method }: Context): boolean {
  const { interaction } = state.route;
  if (interaction !== 'operation') return interaction === 'create';
  const isEmpty = req.headers['transfer-encoding'] === undefined && (req.headers['content-length'] ?? '0') === '0';
  return method === 'POST' && !isEmpty;
}
