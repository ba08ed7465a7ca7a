import type { SearchParam } from './model.ts';

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
