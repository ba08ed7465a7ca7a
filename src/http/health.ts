import { fhirError } from '../fhir/error.ts';
import type { Store } from '../store/store.ts';
import type { Context, Middleware, Respond } from './context.ts';

const longestCheck = 2_000;

/** `/healthz`: 200 while the process lives. */
export function healthz(respond: Respond): Middleware {
  return async context => {
    checkMethod(context);
    await respond(context, ok);
  };
}

/**
 * `/readyz`: 200 where requests can be served: the definitions are loaded (nothing listens before), the store answers within two
 * seconds, and the server is not shutting down; 503 otherwise.
 */
export function readyz(respond: Respond, store: Store, closing: () => boolean): Middleware {
  return async context => {
    checkMethod(context);
    if (closing()) throw notReady('The server is shutting down.');
    if (!(await answers(store))) throw notReady('The record store does not answer.');
    await respond(context, ok);
  };
}

const ok = { status: 200, body: '{"status":"ok"}', headers: { 'Content-Type': 'application/json; charset=utf-8' } };

const notReady = (text: string) => fhirError(503, 'transient', text, undefined, { 'Retry-After': '5' });

async function answers(store: Store): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), longestCheck);
  });
  const check = store.check().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([check, late]);
  } finally {
    clearTimeout(timer);
  }
}

function checkMethod({ state, method, routerPath }: Context): void {
  state.pattern = routerPath;
  if (method === 'GET' || method === 'HEAD') return;
  throw fhirError(405, 'not-supported', `\`${method}\` is not offered here; allowed: GET, HEAD.`, undefined, {
    Allow: 'GET, HEAD',
  });
}
