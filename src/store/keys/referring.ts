import type { ResourceType, SearchParam } from '../../model/model.ts';
import { type ParamIndexes, readyIndex } from '../plan/indexes.ts';
import type { StoreDefinitions } from '../port/store.ts';

type Model = Pick<StoreDefinitions['model'], 'types'>;

const known = new WeakMap<Model, Map<string, ReadonlyMap<ResourceType, readonly SearchParam[]>>>();

/** The types whose records may refer to those of another one, with the indexed parameters by which they do. */
export function paramsReferringTo(model: Model, to: string): ReadonlyMap<ResourceType, readonly SearchParam[]> {
  const ofModel = known.get(model) ?? new Map<string, ReadonlyMap<ResourceType, readonly SearchParam[]>>();
  known.set(model, ofModel);
  const found = ofModel.get(to) ?? findParams(model, to);
  ofModel.set(to, found);
  return found;
}

/** Also the parameter of the references that no other one indexes. */
const isReference = ({ type, reads }: SearchParam): boolean =>
  type === 'reference' && (reads === undefined || reads === 'otherReferences');

function findParams(model: Model, to: string): ReadonlyMap<ResourceType, readonly SearchParam[]> {
  const found = new Map<ResourceType, readonly SearchParam[]>();
  for (const type of model.types.values()) {
    const params = [...type.indexed.values()]
      .filter(isReference)
      .filter(({ targets }) => targets.length === 0 || targets.includes(to));
    if (params.length > 0) found.set(type, params);
  }
  return found;
}

/** The indexes of these parameters. Throws `IndexPending` if one is not complete. */
export const readyIndexes = <I>(indexes: ParamIndexes<I>, params: readonly SearchParam[]): readonly I[] =>
  params.map(param => readyIndex(indexes, param).index);
