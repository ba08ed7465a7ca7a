import type { IncomingMessage } from 'node:http';
import { createAccess } from '../../auth/access.ts';
import type { Access, AccessContext } from '../../auth/access.ts';
import { TokenRefused } from '../../auth/claims.ts';
import type { Claims, TokenVerifier } from '../../auth/claims.ts';
import { tokenMisplaced, tokenMissing, tokenRefused } from '../../auth/refusals.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Model } from '../../model/model.ts';
import { throwStoreFailure } from '../../interaction/answer-of.ts';
import type { Partition, PartitionIdentity } from '../../store/port/partitions.ts';
import type { Shape } from '../../interaction/routes.ts';
import { fhirError } from '../../fhir/error.ts';
import type { Store } from '../../store/port/store.ts';
import { isRepeated } from './target.ts';

/** The headers of a request. */
type Headed = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** The partition of a token, and the query of the URL that it came with. */
interface TokenPlace {
  readonly query: string;
  readonly base: string;
  readonly partition: PartitionIdentity;
}

/**
 * Authenticates: the bearer token of a request becomes its access context. Throws FhirError 401 without a valid token
 * for the partition and 400 for one that is not sent in one header. Without a verifier every caller may do everything;
 * `metadata` is public. https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
export function createAccessOf(
  engine: Engine,
  verify: TokenVerifier | undefined,
  shape: Shape,
): (request: Headed, place: TokenPlace) => Access | Promise<Access> {
  if (verify === undefined || shape === publicShape) return () => 'open';
  const contexts = made.get(engine.model) ?? new WeakMap<Claims, AccessContext>();
  made.set(engine.model, contexts);
  return (request, place) => {
    const claims = verify(tokenOf(request, place.query, place.base), place.partition.id);
    return claims instanceof Promise ? ask(engine, contexts, claims, place) : accessOf(engine, contexts, claims, place);
  };
}

const publicShape: Shape = '/r4/:partition/metadata';

type Contexts = WeakMap<Claims, AccessContext>;

/**
 * The access contexts of claims by a model, cached with them: a verifier returns the same claims while it caches a
 * token.
 */
const made = new WeakMap<Model, Contexts>();

async function ask(
  engine: Engine,
  contexts: Contexts,
  asked: Promise<Claims>,
  place: TokenPlace,
): Promise<AccessContext> {
  const claims = await asked.catch((error: unknown) => {
    if (error instanceof TokenRefused) throw tokenRefused(place.base, error.message);
    return throwStoreFailure(error);
  });
  return accessOf(engine, contexts, claims, place);
}

function accessOf(
  { model, now }: Engine,
  contexts: Contexts,
  claims: Claims,
  { partition, base }: TokenPlace,
): AccessContext {
  // The verifier has checked both; a bug there must not grant access.
  if (claims.partition !== partition.id) throw tokenRefused(base, 'The token is for another partition.');
  if (claims.expires <= now()) throw tokenRefused(base, 'The token has expired.');
  let access = contexts.get(claims);
  if (access === undefined) {
    access = refusing(base, () => createAccess(claims, { model, base, zone: partition.settings.zone, now: now() }));
    contexts.set(claims, access);
  }
  return access;
}

/** Makes the context of claims; a rejected token is reported as invalid. */
function refusing<T>(base: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof TokenRefused) throw tokenRefused(base, error.message);
    throw error;
  }
}

/** The token of a request, as sent. Throws FhirError 401 and 400. */
function tokenOf({ headers, rawHeaders }: Headed, query: string, base: string): string {
  if (query !== '' && /(?:^|&)access_token=/.test(query)) {
    throw tokenMisplaced(base, 'A token is accepted in the header Authorization only, never in a URL or a body.');
  }
  const { authorization } = headers;
  if (authorization === undefined) throw tokenMissing(base);
  if (isRepeated(rawHeaders, 'authorization')) {
    throw tokenMisplaced(base, 'The header Authorization is repeated: send one token.');
  }
  return tokenIn(authorization, base);
}

/**
 * The text after the scheme, which the verifier checks; a pattern here would cost more than the lookup of the token.
 */
function tokenIn(authorization: string, base: string): string {
  const scheme = authorization.slice(0, 7);
  if (scheme !== 'Bearer ' && !/^bearer ?$/i.test(scheme)) throw tokenMissing(base);
  let start = scheme.length;
  while (authorization[start] === ' ') start++;
  return authorization.slice(start);
}

/** Opens the partition of an id. Throws FhirError 404 with the form of a base URL if there is none. */
export async function findPartition(store: Pick<Store, 'partition'>, publicUrl: string, id = ''): Promise<Partition> {
  const found = /^[a-z0-9-]{1,32}$/.test(id) ? await store.partition(id) : undefined;
  if (found === undefined) {
    const text = `There is no partition \`${id}\`. The base URL is \`${publicUrl}/r4/{partition}\`.`;
    throw fhirError(404, 'not-found', text + hintOf(id, publicUrl));
  }
  return found;
}

/** A hint for a base URL without its closing slash before the rest of the path, and for one without a partition. */
function hintOf(id: string, publicUrl: string): string {
  const [, before, rest] =
    /^([a-z0-9-]{0,32}?)([A-Z][A-Za-z]{0,63}|metadata|openapi\.json|_history|_search)$/.exec(id) ?? [];
  if (rest === undefined) return '';
  return before === undefined || before === ''
    ? ` The partition is missing before \`${rest}\`: \`${publicUrl}/r4/{partition}/${rest}\`.`
    : ` A slash is missing after the base URL: \`${publicUrl}/r4/${before}/${rest}\`.`;
}
