import type { Interval } from '../keys/interval.ts';
import type { Clause } from './clause.ts';

/**
 * A clause on one line, for explanations: kinds, indexes and numbers of values, never a value, since the values of a
 * chain are those of records: `(and (terms code 2) (range date from to))`. `nameOf` names an index.
 */
export function printClause<I>(clause: Clause<I>, nameOf: (index: I) => string): string {
  switch (clause.kind) {
    case 'and':
    case 'or':
      return list(
        clause.kind,
        clause.of.map(part => printClause(part, nameOf)),
      );
    case 'not':
      return list('not', [printClause(clause.of, nameOf)]);
    case 'ids':
      return list('ids', [String(clause.ids.length)]);
    case 'updated':
      return list('updated', printEnds(clause.at, clause.at));
    case 'terms':
      return list('terms', [nameOf(clause.index), String(clause.values.length)]);
    case 'prefix':
      return list('prefix', [nameOf(clause.index)]);
    case 'string':
      return list(clause.how, [nameOf(clause.index)]);
    case 'words':
      return list('words', [nameOf(clause.index), String(clause.phrases.length)]);
    case 'range':
      return list('range', [nameOf(clause.index), ...printEnds(clause.low, clause.high)]);
    case 'tuple':
      return list('tuple', [nameOf(clause.index), ...clause.of.map(part => printClause(part, nameOf))]);
    default:
      return clause satisfies never;
  }
}

const list = (name: string, parts: readonly string[]): string => `(${[name, ...parts].join(' ')})`;

/** The ends that an interval has. */
function printEnds(low: Interval, high: Interval): readonly string[] {
  return [
    ...(low.min === -Infinity && high.min === -Infinity ? [] : ['from']),
    ...(low.max === Infinity && high.max === Infinity ? [] : ['to']),
  ];
}
