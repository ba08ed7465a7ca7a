import type { Clause } from './clause.ts';

/** How many values a clause asks for: what a look at one candidate costs. */
export function valuesIn(clause: Clause<unknown>): number {
  switch (clause.kind) {
    case 'and':
    case 'or':
    case 'tuple':
      return clause.of.reduce((sum, part) => sum + valuesIn(part), 0);
    case 'not':
      return valuesIn(clause.of);
    case 'terms':
      return clause.values.length;
    case 'words':
      return clause.phrases.length * wordCost;
    case 'ids':
    case 'updated':
    case 'prefix':
    case 'string':
    case 'range':
      return 1;
    default:
      return clause satisfies never;
  }
}

/** What the words of one phrase cost, in look-ups of a value: SQLite reads a part of the list of each word. */
const wordCost = 4;
