import type { IncomingMessage } from 'node:http';
import { createAccess } from '../../auth/access.ts';
import type { AccessContext } from '../../auth/access.ts';
import { TokenRefused } from '../../auth/claims.ts';
import type { Claims, TokenVerifier } from '../../auth/claims.ts';
import { requireScope } from '../../auth/may.ts';
import { tokenMisplaced, tokenMissing, tokenRefused } from '../../auth/refusals.ts';
import type { Engine } from '../../interaction/interaction.ts';
import { throwStoreFailure } from '../../interaction/store-failure.ts';
import type { Model } from '../../model/model.ts';
import type { Context, Step } from '../context.ts';
import { isRepeated } from '../header-lines.ts';
import type { Shape } from '../routes.ts';

/**
 * Who asks: the bearer token of a request becomes its access context. Throws FhirError 401 without a good token for the partition
 * and 400 for one that does not come in one header. Without a verifier everybody may do everything; `metadata` is public.
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
export function guard(engine: Engine, verify: TokenVerifier | undefined, shape: Shape): Step {
  if (verify === undefined || shape === publicShape) {
    return ({ state }) => {
      state.access = 'open';
    };
  }
  return context => {
    const { req, state } = context;
    const claims = verify(tokenOf(req, state.query, state.base), state.partition.id);
    if (claims instanceof Promise) return ask(engine, claims, context);
    state.access = accessOf(engine, claims, context);
    return undefined;
  };
}

/** Refuses with 403 what the caller has no scope for, before anything of the request is read. */
export function checkScope(model: Model): Step {
  return ({ state }) => requireScope(state.access, model, state.route, state.base);
}

const publicShape: Shape = '/r4/:partition/metadata';

/** What follows from claims, kept with them: a verifier gives the same ones while it remembers a token. */
const made = new WeakMap<Claims, AccessContext>();

async function ask(engine: Engine, asked: Promise<Claims>, context: Context): Promise<void> {
  const claims = await asked.catch((error: unknown) => {
    if (error instanceof TokenRefused) throw tokenRefused(context.state.base, error.message);
    return throwStoreFailure(error);
  });
  context.state.access = accessOf(engine, claims, context);
}

function accessOf({ model, now }: Engine, claims: Claims, { state }: Context): AccessContext {
  const { partition, base } = state;
  // The verifier has seen to both; a mistake there must open nothing.
  if (claims.partition !== partition.id) throw tokenRefused(base, 'The token is for another place.');
  if (claims.expires <= now()) throw tokenRefused(base, 'The token has expired.');
  let access = made.get(claims);
  if (access === undefined) {
    access = refusing(base, () => createAccess(claims, { model, base, zone: partition.settings.zone, now: now() }));
    made.set(claims, access);
  }
  return access;
}

/** What is made of claims; a token that is refused meanwhile is told as one that is not good. */
function refusing<T>(base: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof TokenRefused) throw tokenRefused(base, error.message);
    throw error;
  }
}

/** The token of a request, as sent. Throws FhirError 401 and 400. */
function tokenOf({ headers, rawHeaders }: IncomingMessage, query: string, base: string): string {
  if (query !== '' && /(?:^|&)access_token=/.test(query)) {
    throw tokenMisplaced(base, 'A token is taken from the header Authorization alone, never from a URL or a body.');
  }
  const { authorization } = headers;
  if (authorization === undefined) throw tokenMissing(base);
  if (isRepeated(rawHeaders, 'authorization')) {
    throw tokenMisplaced(base, 'The header Authorization is there more than once: send one token.');
  }
  return tokenIn(authorization, base);
}

/** The text after the scheme, which the verifier checks; a pattern here would cost more than the lookup of the token. */
function tokenIn(authorization: string, base: string): string {
  const scheme = authorization.slice(0, 7);
  if (scheme !== 'Bearer ' && !/^bearer ?$/i.test(scheme)) throw tokenMissing(base);
  let start = scheme.length;
  while (authorization[start] === ' ') start++;
  return authorization.slice(start);
}
