import { fhirError } from '../fhir/error.ts';
import type { Handler, Middleware } from './context.ts';
import { createPaths } from './paths.ts';

/** Passes a request to the first handler whose pattern matches; 404 without one. */
export function findPath(handlers: readonly (readonly [pattern: string, handler: Handler])[]): Middleware {
  const find = createPaths(handlers);
  return context => {
    const { state } = context;
    const found = find(state.path);
    if (found === undefined)
      throw fhirError(404, 'not-found', 'Nothing exists under this path. FHIR is under `/r4/{partition}`.');
    state.pattern = found.pattern;
    state.params = found.params;
    return found.value(context);
  };
}
