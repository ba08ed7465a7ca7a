import type { ResourceType, SearchParam } from '../model/model.ts';

/** The same type with some of its indexed parameters only: `Extract` reads no others. */
export const withOnly = (type: ResourceType, params: readonly SearchParam[]): ResourceType => ({
  ...type,
  indexed: new Map(params.map(param => [param.code, param])),
});
