import type { ResourceType, SearchParam } from '../model/model.ts';
import type { Query, Sort } from './ast.ts';

/**
 * The parameters of a query, each once: their indexes must be complete before it can be answered; with or without those
 * that link records to their owners.
 */
export function parametersOf(query: Query, withOwners = true): readonly SearchParam[] {
  return unique(collect(query, withOwners));
}

/** The parameters of an order, the type's own `sort-date` included. */
export function parametersOfSort(type: ResourceType, sort: readonly Sort[]): readonly SearchParam[] {
  return unique(
    sort.flatMap(key => {
      if (key.by === 'param') return [key.param];
      return key.by === 'default' && type.sortDate !== undefined ? [type.sortDate] : [];
    }),
  );
}

function collect(query: Query, withOwners: boolean): readonly SearchParam[] {
  switch (query.kind) {
    case 'all':
    case 'id':
    case 'lastUpdated':
      return [];
    case 'and':
    case 'or':
      return query.of.flatMap(part => collect(part, withOwners));
    case 'not':
      return collect(query.of, withOwners);
    case 'owner':
      return withOwners ? query.of : [];
    case 'param':
    case 'present':
      return [query.param];
    default:
      return query satisfies never;
  }
}

function unique(params: readonly SearchParam[]): readonly SearchParam[] {
  return [...new Map(params.map(param => [`${param.resourceType} ${param.code}`, param])).values()];
}
