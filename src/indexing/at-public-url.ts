import type { Model, ResourceType, SearchParam } from '../model/model.ts';

/**
 * The model as it indexes where this server is reached by a public URL: absolute references that begin with it are our own, so
 * that all that reads references says which URL it is, beside the digest. A store then makes anew what holds such references
 * where the URL has changed, and nothing else, and tells processes that do not agree on it.
 */
export function modelAt(model: Model, publicUrl: string): Model {
  const root = rootOf(publicUrl);
  const known = new Map<SearchParam, SearchParam>();
  const paramAt = (param: SearchParam): SearchParam => {
    if (!readsReferences(param)) return param;
    const found = known.get(param) ?? Object.freeze({ ...param, root });
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
  return Object.freeze({ ...model, root, types });
}

/** A public URL without slashes behind it. */
export function rootOf(publicUrl: string): string {
  return publicUrl.replace(/\/+$/, '');
}

/** What absolute references to resources of a partition begin with, before `/Type/id`. */
export function baseOf(root: string, partition: string): string {
  return `${root}/r4/${partition}`;
}

function readsReferences({ type, components }: SearchParam): boolean {
  return type === 'reference' || components.some(({ param }) => readsReferences(param));
}
