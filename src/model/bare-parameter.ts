import type { SearchParam } from './model.ts';

/** What is read from the texts of records beside the entries of a reference parameter, and never stored. */
type Beside = 'inside' | 'versions';

/**
 * The parameter with other values of a reference parameter: the resources inside of the record to which it leads
 * (indexing/inside.ts), or its references with their versions (indexing/versions.ts).
 */
export function readAs(param: SearchParam, reads: Beside): SearchParam {
  const ofParam = known.get(param) ?? new Map<Beside, SearchParam>();
  known.set(param, ofParam);
  const read = ofParam.get(reads) ?? Object.freeze({ ...param, code: `${param.code}:${reads}`, reads });
  ofParam.set(reads, read);
  return read;
}

const known = new WeakMap<SearchParam, Map<Beside, SearchParam>>();

/** A parameter that no definition compiles: with the properties that are given, and without entries of its own. */
export const bareParameter = (
  given: Pick<SearchParam, 'code' | 'type' | 'resourceType'> & Partial<SearchParam>,
): SearchParam =>
  Object.freeze<SearchParam>({
    url: '',
    expression: '',
    targets: [],
    dataTypes: new Set<string>(),
    single: false,
    modifiers: new Set<string>(),
    modified: new Map<string, SearchParam>(),
    reads: undefined,
    delegated: false,
    components: [],
    digest: '',
    description: undefined,
    ...given,
  });
