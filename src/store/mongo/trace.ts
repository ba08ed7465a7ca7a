import type { Document } from 'mongodb';
import type { ExplainedStatement } from '../port/explained.ts';
import type { Clause } from './lower.ts';
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

/** Parts of a command that have no value of a record or of a client. */
const plain: ReadonlySet<string> = new Set([
  'find',
  'aggregate',
  'projection',
  'sort',
  'limit',
  '$project',
  '$sort',
  '$limit',
  'hint',
  '$exists',
  '$sum',
  '$group',
]);

/**
 * A command with `?` for each value; of a term the parameter remains: `?|code|?`. `names` are the parameters and pairs
 * in terms of the partition `p`.
 */
export function withoutValues(command: Document, p: string, names: ReadonlySet<string>): Document {
  const mask = (value: unknown, name: string): unknown => {
    if (plain.has(name)) return value;
    if (Array.isArray(value)) {
      const masked = value.map(one => mask(one, ''));
      if (value.some(one => typeof one === 'object')) return masked;
      const counts = Map.groupBy(masked, String);
      return [...counts].map(([text, of]) => (of.length === 1 ? text : `${text} (${of.length} values)`));
    }
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mask(one, key)]));
    return typeof value === 'string' ? maskText(value, p, names) : '?';
  };
  return mask(command, '') as Document; // an object remains one
}

function maskText(text: string, p: string, names: ReadonlySet<string>): string {
  if (text === `${p}|*`) return '?|*';
  const [partition, name = '', ...rest] = text.split('|');
  return partition === p && rest.length > 0 && names.has(name) ? `?|${name}|?` : '?';
}
