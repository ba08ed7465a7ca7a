import { Cache } from '../limits/cache.ts';
import type { ResourceType, SearchParam } from '../model/model.ts';

/** Types are kept, since `Extract` compiles each new one; a query may choose any of their parameters. */
const mostKept = 50;
const kept = new WeakMap<ResourceType, Cache<ResourceType>>();

/** The type with some of its indexed parameters only: `Extract` reads no others. */
export function withOnly(type: ResourceType, params: readonly SearchParam[]): ResourceType {
  const ofType = kept.get(type) ?? new Cache<ResourceType>(mostKept);
  kept.set(type, ofType);
  const key = params.map(({ code }) => code).join(' ');
  const known = ofType.get(key);
  if (known !== undefined && params.every(param => known.indexed.get(param.code) === param)) return known;
  const only = { ...type, indexed: new Map(params.map(param => [param.code, param])) };
  ofType.put(key, only);
  return only;
}
