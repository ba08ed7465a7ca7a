import type { Handler, Middleware } from '../context.ts';
import { createPaths } from '../../interaction/routes.ts';

/**
 * Passes a request to the first handler whose pattern matches; to the next step if no pattern does, or the pattern has
 * no handler.
 */
export function findPath(handlers: readonly (readonly [pattern: string, handler: Handler | undefined])[]): Middleware {
  const find = createPaths(handlers);
  return (context, next) => {
    const { state } = context;
    const found = find(state.path);
    if (found?.value === undefined) return next();
    state.pattern = found.pattern;
    state.params = found.params;
    return found.value(context);
  };
}
