import { partsOf, printClause } from '../plan/clause.ts';
import type { Explain, ExplainedAnswer, ExplainedClause } from '../port/explained.ts';
import { createdOrder } from '../port/indexes.ts';
import type { Core } from './core.ts';
import { countMatches, type LoweredCount } from './count.ts';
import type { TypeIndex } from './dictionary.ts';
import type { FoundRow } from './found.ts';
import type { Clause, LoweredSearch } from './lower.ts';
import type { Key } from './order.ts';
import type { Question } from './readers.ts';
import { pageWithin } from './search.ts';
import type { Traced } from './trace.ts';

/** Finds a page like `find`, and explains it, also if it fails. */
export async function explainFind(
  core: Core,
  index: TypeIndex,
  search: LoweredSearch,
  explain: Explain,
): Promise<readonly FoundRow[]> {
  const { database, budgets } = core;
  const question = { kind: 'page', search, budget: budgets.reader } as const;
  const here = (): ReturnType<typeof pageWithin> => pageWithin(database, search, budgets.eventLoop);
  const found = await traced(core, here, question, traces => explain(explained(index, search, search.keys, traces)));
  return typeof found === 'number' ? [] : found;
}

/** Counts matches, and explains it. */
export async function explainCount(
  core: Core,
  index: TypeIndex,
  count: LoweredCount,
  explain: Explain,
): Promise<number> {
  const { database, budgets } = core;
  const question = { kind: 'count', count, budget: budgets.reader } as const;
  const here = (): number | undefined => countMatches(database, count, budgets.eventLoop);
  const counted = await traced(core, here, question, traces => explain(explained(index, count, [], traces)));
  return typeof counted === 'number' ? counted : 0;
}

/** What is found here within the budget, else by a reader; `explain` gets the traces, also if it fails. */
async function traced(
  { database, readers }: Core,
  here: () => number | readonly FoundRow[] | undefined,
  question: Question,
  explain: (traces: readonly Traced[]) => void,
): Promise<number | readonly FoundRow[]> {
  const { result, trace } = database.traced(here);
  const traces = [trace];
  try {
    if (result !== undefined) return result;
    const answer = await readers.ask(question, true);
    if (answer.trace !== undefined) traces.push(answer.trace);
    if (answer.kind === 'page') return answer.rows;
    return answer.kind === 'count' ? answer.count : 0;
  } finally {
    explain(traces);
  }
}

function explained(
  index: TypeIndex,
  { clause }: LoweredCount,
  keys: readonly Key[],
  traces: readonly Traced[],
): ExplainedAnswer {
  const codes = new Map([...index.indexes.values()].map(({ code, p }) => [p, code]));
  const nameOf = (p: number): string => codes.get(p) ?? '?';
  const last = traces.at(-1);
  return {
    clauses: partsOf(clause).map((part, at): ExplainedClause => {
      const use = last?.ranges.includes(at) === true ? 'range' : 'check';
      return { clause: printClause(part, nameOf), index: indexOf(part, nameOf), use };
    }),
    order: keys.map(key => ({
      key: printKey(key, nameOf),
      index: last?.inOrder === true ? orderOf(key, nameOf) : undefined,
    })),
    statements: traces.flatMap(({ statements }) => statements),
    sharesIndexes: false, // a plan depends on the statement alone
  };
}

/** The table or index of the file that finds the matches of a clause. */
function indexOf(clause: Clause, nameOf: (p: number) => string): string | undefined {
  switch (clause.kind) {
    case 'and':
      return clause.of.map(part => indexOf(part, nameOf)).find(name => name !== undefined);
    case 'or':
    case 'tuple': {
      const names = clause.of.map(part => indexOf(part, nameOf));
      return names.length === 0 || names.includes(undefined) ? undefined : [...new Set(names)].join(', ');
    }
    case 'not':
      return clause.instead && indexOf(clause.instead, nameOf);
    case 'ids':
      return 'resources_key';
    case 'updated':
      return 'resources_updated';
    case 'terms':
    case 'prefix':
      return `terms ${nameOf(clause.index)}`;
    case 'string':
      return `strings ${nameOf(clause.index)}`;
    case 'words':
      return `words ${nameOf(clause.index)}`;
    case 'range':
      return `ranges ${nameOf(clause.index)}`;
    default:
      return clause satisfies never;
  }
}

/** The names of keys that no parameter has. */
const instants: Readonly<Record<Key['by'], string>> = {
  id: '_id',
  updated: '_lastUpdated',
  ord: createdOrder,
  low: '?',
  text: '?',
};

function printKey({ by, p, descending }: Key, nameOf: (p: number) => string): string {
  const name = p === 0 ? instants[by] : nameOf(p);
  return descending ? `-${name}` : name;
}

function orderOf({ by, p }: Key, nameOf: (p: number) => string): string {
  switch (by) {
    case 'ord':
      return 'resources_ord';
    case 'updated':
      return 'resources_updated';
    case 'id':
      return 'resources_key';
    case 'low':
      return `sorts ${nameOf(p)}`;
    case 'text':
      return `strings ${nameOf(p)}`;
    default:
      return by satisfies never;
  }
}
