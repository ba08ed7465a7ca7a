import type { Document } from 'mongodb';
import type { ExplainedStatement } from '../port/explained.ts';
import type { Clause } from './clause.ts';
import { withoutValues } from './masked.ts';
import type { Key } from './order.ts';

/** Records the commands of a search and what the server says of them, for an explanation. */
export interface Trace {
  clauses: readonly Clause[];
  keys: readonly Key[];
  readonly statements: ExplainedStatement[];
  /** The bounds of the ranges of indexes that the server read. */
  readonly bounds: string[];
  /** Some command sorted its documents. */
  isSorted: boolean;
}

export function createTrace(): Trace {
  return { clauses: [], keys: [], statements: [], bounds: [], isSorted: false };
}

/**
 * Records a command with the answer to its `explain`. `names` are the parameters and pairs of the partition `p`.
 * https://www.mongodb.com/docs/manual/reference/explain-results/
 */
export function record(
  trace: Trace,
  command: Document,
  explained: Document,
  p: string,
  names: ReadonlySet<string>,
): void {
  const stages = partsOf(explained, 'winningPlan').flatMap(plan => stagesOf(plan));
  const stats = partsOf(explained, 'executionStats');
  const sum = (name: string): number => stats.reduce((total, one) => total + Number(one[name] ?? 0), 0);
  for (const { indexBounds } of stages) if (indexBounds !== undefined) trace.bounds.push(JSON.stringify(indexBounds));
  trace.isSorted ||= stages.some(({ stage }) => String(stage).startsWith('SORT'));
  trace.statements.push({
    text: JSON.stringify(withoutValues(command, p, names)),
    plan: stages.map(printStage),
    examined: Math.max(sum('totalKeysExamined'), sum('totalDocsExamined')),
    returned: sum('nReturned'),
  });
}

/** The parts with a name, of one server or of each shard; not those inside of another. */
function partsOf(value: unknown, name: string): readonly Document[] {
  if (Array.isArray(value)) return value.flatMap(one => partsOf(one, name));
  if (typeof value !== 'object' || value === null) return [];
  const found = (value as Document)[name] as Document | undefined; // any answer is an object
  // A router has a plan with those of its shards.
  if (found !== undefined && found['shards'] === undefined) return [found];
  return Object.values(value).flatMap(one => partsOf(one, name));
}

/** The stages of a plan, the outermost first. */
function stagesOf(plan: Document): readonly Document[] {
  const query = plan['queryPlan'] as Document | undefined;
  if (query !== undefined) return stagesOf(query);
  const inner = [plan['inputStage'], ...((plan['inputStages'] ?? []) as Document[])].filter(one => one !== undefined);
  return [plan, ...inner.flatMap(one => stagesOf(one as Document))];
}

function printStage({ stage, indexName, keyPattern }: Document): string {
  if (indexName === undefined) return String(stage);
  return `${stage} ${indexName} (${Object.keys((keyPattern ?? {}) as object).join(', ')})`;
}
