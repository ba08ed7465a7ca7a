import type { ResourceType, SearchParam } from '../../model/model.ts';
import { IndexPending } from '../port/errors.ts';
import type { StoreDefinitions } from '../port/definitions.ts';

/** The indexes of the parameters of one type; `I` is how a driver refers to an index. */
export interface ParamIndexes<I> {
  readonly type: ResourceType;
  /** The index of a parameter; undefined if no entries of it are stored. */
  find(code: string): ParamIndex<I> | undefined;
}

/** What a driver says of the indexes of one type, and of what it stores beside entries. */
export interface Indexes<I> extends ParamIndexes<I> {
  /** The terms of references with this id, of any type; undefined if the driver cannot list them. */
  termsOfId(index: I, id: string): readonly string[] | undefined;
  /** Whether a resource without entries of a parameter has the term `missing` (terms.ts). */
  readonly marksMissing: boolean;
  /** Whether the index may have entries of absolute references; otherwise they are not asked for. */
  hasAbsolute(index: I): boolean;
}

export interface ParamIndex<I> {
  readonly param: SearchParam;
  readonly index: I;
  /** Complete, with the indexes of its components. */
  readonly ready: boolean;
  /** The indexes of the components of a composite, in order. */
  readonly components: readonly I[];
}

/** The complete index of a pair, with those of its two parameters. */
export interface PairIndex<I> {
  readonly index: I;
  readonly owner: I;
  readonly token: I;
}

/** The index of a parameter. Throws Error if there is none, `IndexPending` if it is not complete. */
export function readyIndex<I>(indexes: ParamIndexes<I>, { code }: SearchParam): ParamIndex<I> {
  const { type } = indexes;
  const found = indexes.find(code);
  if (found === undefined) throw new Error(`${type.name} has no index of \`${code}\``);
  if (!found.ready) throw new IndexPending(type.name, code);
  return found;
}

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
