import { createRequire } from 'node:module';
import type * as KoaRouter from '@koa/router';
import { fhirError } from '../fhir/error.ts';
import { createPaths } from '../interaction/routes.ts';
import type { Context, Handler, Middleware, RequestState } from './context.ts';

// Not imports: an `import` of `node:http` by us or by the router also loads Node's whole `fetch`, as in server.ts.
const { METHODS } = process.getBuiltinModule('node:http');
const { Router } = createRequire(import.meta.url)('@koa/router') as typeof KoaRouter;

/** A path outside the FHIR interface. */
export interface PathRoute {
  /** In the syntax of `@koa/router`: `/auth/authorize/:uid`. Case matters, and so does a trailing slash. */
  readonly path: string;
  /** Undefined for all methods. GET does not imply HEAD. */
  readonly methods?: readonly string[];
  readonly handler: Handler;
  /** Answers requests with other methods; by default they are refused with 405 and Allow. */
  readonly wrongMethod?: (context: Context, allowed: readonly string[]) => Promise<void>;
}

/** The methods of documents. */
export const readMethods: readonly string[] = ['GET', 'HEAD'];

/** Its middleware passes a request to the first route that has its path; without one, to the next step. */
export function createRouter(routes: readonly PathRoute[]): KoaRouter.Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  for (const { path, methods: allowed = METHODS, handler, wrongMethod = refuseMethod } of routes) {
    // The other methods come first, since the router adds HEAD to GET.
    const others = METHODS.filter(method => !allowed.includes(method));
    const answers: readonly (readonly [methods: readonly string[], answer: Handler])[] = [
      [others, context => wrongMethod(context, allowed)],
      [allowed, handler],
    ];
    for (const [methods, answer] of answers) {
      if (methods.length === 0) continue;
      router.register(path, [...methods], async context => {
        context.state.pattern = path;
        context.state.params = context.params;
        await answer(context);
      });
    }
  }
  return router;
}

/**
 * Passes a request to the first route that has its path, a pattern of `createPaths`; without one, to the next step.
 * Paths are found by their segments, which takes less time than the expressions of a router.
 */
export function findPath(routes: readonly PathRoute[]): Middleware {
  const find = createPaths(routes.map(route => [route.path, route]));
  return (context, next) => {
    const { state, method } = context;
    const found = find(state.path);
    if (found === undefined) return next();
    state.pattern = found.pattern;
    state.params = found.params;
    const { methods, handler } = found.value;
    return methods?.includes(method) === false ? refuseMethod(context, methods) : handler(context);
  };
}

/** Throws FhirError. https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6 */
async function refuseMethod({ method }: Context, allowed: readonly string[]): Promise<void> {
  const methods = allowed.join(', ');
  const text = `\`${method}\` is not supported; allowed: ${methods}.`;
  throw fhirError(405, 'not-supported', text, undefined, { Allow: methods });
}
