import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { IssueCode } from '../fhir/outcome.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Store } from '../store/store.ts';
import type { Context, Handler, Respond } from './context.ts';

const longestCheck = 2_000;

/** `/healthz`: 200 while the process lives. */
export function healthz(respond: Respond): Handler {
  return async context => {
    checkMethod(context);
    await respond(context, ok);
  };
}

/**
 * `/readyz`: 200 where requests can be served: the definitions are loaded (nothing listens before), the store answers within two
 * seconds, and the server is not shutting down; 503 otherwise, with the reason.
 */
export function readyz(respond: Respond, store: Store, closing: () => boolean): Handler {
  return async context => {
    checkMethod(context);
    if (closing()) throw notReady('transient', 'The server is shutting down.');
    const problem = await problemOf(store);
    if (problem !== undefined) throw problem;
    await respond(context, ok);
  };
}

const ok = { status: 200, body: '{"status":"ok"}', headers: { 'Content-Type': 'application/json; charset=utf-8' } };

const notReady = (code: IssueCode, text: string): FhirError =>
  fhirError(503, code, text, undefined, { 'Retry-After': '5' });

/** Why the store cannot be used now; undefined where it can. */
async function problemOf(store: Store): Promise<FhirError | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<FhirError>(resolve => {
    timer = setTimeout(() => resolve(inTime), longestCheck);
  });
  const check = store.check().then(() => undefined, explain);
  try {
    return await Promise.race([check, late]);
  } finally {
    clearTimeout(timer);
  }
}

const inTime = notReady('timeout', 'The record store does not answer in time.');

function explain(error: unknown): FhirError {
  if (!(error instanceof StoreUnavailable)) return notReady('transient', 'The record store does not answer.');
  return error.reason === 'timeout' ? inTime : notReady('no-store', 'The record store cannot be reached.');
}

function checkMethod({ method }: Context): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw fhirError(405, 'not-supported', `\`${method}\` is not offered here; allowed: GET, HEAD.`, undefined, {
    Allow: 'GET, HEAD',
  });
}
