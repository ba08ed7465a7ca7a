import type { Document } from 'mongodb';
import { printClause } from '../plan/clause.ts';
import type { Explain, ExplainedAnswer, ExplainedClause } from '../port/explained.ts';
import { createdOrder } from '../port/indexes.ts';
import { conditionOf } from './filter.ts';
import type { Clause, Index } from './lower.ts';
import { nameOf as nameInTerms, updatedField } from './names.ts';
import type { Key } from './order.ts';
import type { Place } from './plan.ts';
import { createTrace, record, type Trace } from './trace.ts';

/** Runs work whose commands are explained, also if it fails. */
export async function explained<T>(place: Place, explain: Explain, work: (place: Place) => Promise<T>): Promise<T> {
  const trace = createTrace();
  try {
    return await work({ ...place, trace });
  } finally {
    explain(answerOf(place, trace));
  }
}

/** Records a command; `ask` requests its explanation from the server. */
export async function traceCommand(
  { type, p, trace }: Place,
  command: Document,
  ask: () => Promise<Document>,
): Promise<void> {
  if (trace === undefined) return;
  const codes = [...type.indexed.keys()].map(nameInTerms);
  const pairs = type.pairs.map(({ owner, token }) => `${nameInTerms(owner.code)}+${nameInTerms(token.code)}`);
  record(trace, command, await ask(), p, new Set([...codes, ...codes.map(code => `${code}~`), ...pairs]));
}

function answerOf({ p }: Place, { clauses, keys, statements, bounds, isSorted }: Trace): ExplainedAnswer {
  const isRead = (clause: Clause): boolean =>
    startsOf(clause, p).some(start => bounds.some(one => one.includes(JSON.stringify(start).slice(1, -1))));
  return {
    clauses: clauses.map((clause): ExplainedClause => ({
      clause: printClause(clause, ({ code }: Index) => code),
      index: indexOf(clause, p),
      use: isRead(clause) ? 'range' : 'check',
    })),
    order: keys.map(key => ({ key: printKey(key), index: isSorted || keys.length > 1 ? undefined : fieldOf(key) })),
    statements,
    sharesIndexes: true,
  };
}

/** The indexed field that finds the matches of a clause (collection-indexes.ts). */
function indexOf(clause: Clause, p: string): string | undefined {
  if (conditionOf(clause, p).by === 'none') return undefined;
  switch (clause.kind) {
    case 'ids':
      return '_id';
    case 'updated':
      return 'o._updated';
    case 'range':
      return clause.index.intervals;
    case 'string':
      return clause.how === 'exact' ? 't' : 's';
    case 'terms':
    case 'prefix':
    case 'words':
      return 't';
    case 'and':
    case 'or':
    case 'tuple':
      return [...new Set(clause.of.flatMap(part => indexOf(part, p) ?? []))].join(', ');
    case 'not':
      return undefined;
    default:
      return clause satisfies never;
  }
}

/** The beginnings of the index entries of a clause. */
function startsOf(clause: Clause, p: string): readonly string[] {
  switch (clause.kind) {
    case 'and':
    case 'or':
      return clause.of.flatMap(part => startsOf(part, p));
    case 'tuple':
      return [clause.index.start];
    case 'not':
    case 'updated':
      return [];
    case 'ids':
      return clause.ids.map(id => `${p}/${id}`);
    case 'range':
      return [clause.index.keys.narrow, clause.index.keys.wide];
    case 'terms':
    case 'prefix':
    case 'string':
    case 'words':
      return [clause.index.start];
    default:
      return clause satisfies never;
  }
}

function printKey(key: Key): string {
  const name =
    key.by === 'id' ? '_id' : (key.index?.code ?? (key.field === updatedField ? '_lastUpdated' : createdOrder));
  return key.descending ? `-${name}` : name;
}

const fieldOf = (key: Key): string => (key.by === 'id' ? '_id' : `o.${key.field}`);
