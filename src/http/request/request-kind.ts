import type { Model } from '../../model/model.ts';
import type { RequestState } from '../context.ts';
import { explorerPattern } from '../explorer.ts';

/** What a request was for, in few different words: for metrics and traces. */
export interface RequestKind {
  /**
   * The interaction; an operation as `$name`; else `token`, `authorization`, `discovery`, `health`, `explorer`, or
   * `none`.
   */
  readonly interaction: string;
  /** A declared resource type; `undeclared` for any other, `none` without one. */
  readonly type: string;
}

/** Classifies a request by its matched pattern and its route; text of the client never becomes a word. */
export function requestKind({ partialRequest, pattern, params }: RequestState, { types }: Model): RequestKind {
  const route = partialRequest?.route;
  const type = route?.resourceType ?? params?.['type'];
  return {
    interaction:
      route === undefined
        ? kindOfPath(pattern)
        : route.operation === undefined
          ? route.interaction
          : `$${route.operation}`,
    type: type === undefined ? 'none' : types.has(type) ? type : 'undeclared',
  };
}

function kindOfPath(pattern = ''): string {
  if (pattern === '/healthz' || pattern === '/readyz') return 'health';
  if (pattern === explorerPattern) return 'explorer';
  if (pattern.includes('/.well-known/')) return 'discovery';
  if (pattern === '/auth/token') return 'token';
  return pattern.startsWith('/auth/') ? 'authorization' : 'none';
}
