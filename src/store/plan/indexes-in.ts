import type { Clause } from './clause.ts';

/** Visits the indexes of a clause; of a composite the one of its entries. */
export function visitIndexes<I>(clause: Clause<I>, visit: (index: I) => void): void {
  switch (clause.kind) {
    case 'and':
    case 'or':
      for (const part of clause.of) visitIndexes(part, visit);
      return;
    case 'not':
      return visitIndexes(clause.of, visit);
    case 'ids':
    case 'updated':
      return;
    case 'terms':
    case 'prefix':
    case 'string':
    case 'words':
    case 'range':
    case 'tuple':
      return visit(clause.index);
    default:
      return clause satisfies never;
  }
}
