import { createHash } from 'node:crypto';
import type { Model, ResourceType, SearchParam } from '../model/model.ts';

/**
 * The model as it indexes where this server is reached by a public URL: absolute references that begin with it are our own, so
 * that the digests of all that reads references say which URL it is. A store then makes these entries anew, and nothing else,
 * where the URL has changed, and tells processes that do not agree on it.
 */
export function modelAt(model: Model, publicUrl: string): Model {
  const root = publicUrl.replace(/\/+$/, '');
  const digest = (of: string): string => createHash('sha256').update(`${of} ${root}`).digest('hex');
  const known = new Map<SearchParam, SearchParam>();
  const paramAt = (param: SearchParam): SearchParam => {
    if (!readsReferences(param)) return param;
    const found = known.get(param) ?? Object.freeze({ ...param, digest: digest(param.digest) });
    known.set(param, found);
    return found;
  };
  const paramsAt = (params: ReadonlyMap<string, SearchParam>): ReadonlyMap<string, SearchParam> =>
    new Map([...params].map(([code, param]) => [code, paramAt(param)]));
  const typeAt = (type: ResourceType): ResourceType =>
    Object.freeze({
      ...type,
      parameters: paramsAt(type.parameters),
      indexed: paramsAt(type.indexed),
      pairs: type.pairs.map(pair => ({ ...pair, owner: paramAt(pair.owner), token: paramAt(pair.token) })),
    });
  const types = new Map([...model.types].map(([name, type]) => [name, typeAt(type)]));
  return Object.freeze({ ...model, digest: digest(model.digest), types });
}

function readsReferences({ type, components }: SearchParam): boolean {
  return type === 'reference' || components.some(({ param }) => readsReferences(param));
}
