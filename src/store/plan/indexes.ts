import type { ResourceType, SearchParam } from '../../model/model.ts';
import { IndexPending } from '../port/errors.ts';

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
  /** Of a composite, in order. */
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
