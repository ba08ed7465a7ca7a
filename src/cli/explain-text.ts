import type { ExplainedSearch, Explanation } from '../interaction/search/explain/explanation.ts';
import type { Statement, Step } from '../interaction/search/explain/record.ts';
import { counted } from '../observability/counted.ts';
import { count } from './progress.ts';
import { table } from './table.ts';

/** An explanation for people. */
export function printExplanation({ searches, includes, steps = [], refusal }: Explanation): string {
  const sum = (of: (step: Step) => number): number => steps.reduce((total, step) => total + of(step), 0);
  return [
    ...searches.map(printSearch),
    ...includes,
    ...steps.map((step, at) => printStep(step, at + 1)),
    `${counted(
      sum(step => step.examined),
      'row',
    )} examined, ${count(sum(step => step.returned))} returned.`,
    ...(refusal === undefined ? [] : [`The answer is 403: ${refusal}`]),
  ].join('\n\n');
}

function printSearch({ type, query, clauses, sort, sortIndex, count: limit }: ExplainedSearch): string {
  const order = sortIndex ? 'an index has it' : 'no index has it: up to 10,000 matches are sorted';
  return [
    `Search of ${type}: ${query}`,
    ...clauses.filter(({ by }) => by === 'candidates').map(one => `  decided on candidates: ${one.query}`),
    `  order: ${sort}, ${order}; ${counted(limit, 'match', 'matches')} on a page`,
  ].join('\n');
}

function printStep(
  { operation, type, clauses, order, statements, times, examined, returned }: Step,
  at: number,
): string {
  const often = times === 1 ? '' : `, ${count(times)} times`;
  const rows = [
    ...clauses.map(({ clause, index = 'none', use }) => ['clause', clause, index, use]),
    ...order.map(({ key, index }) => ['order', key, index ?? 'none', index === undefined ? 'sort' : 'range']),
  ];
  return [
    `${at}. ${operation} of ${type}${often}: ${counted(examined, 'row')} examined, ${count(returned)} returned`,
    ...(rows.length === 0 ? [] : [indented(table(['part', 'what', 'index', 'use'], rows))]),
    ...statements.map(one => indented(printStatement(one))),
  ].join('\n');
}

function printStatement({ text, plan, times, examined, returned }: Statement): string {
  const often = times === 1 ? '' : `${count(times)} times, `;
  return [
    text,
    `  ${often}${counted(examined, 'row')} examined, ${count(returned)} returned`,
    ...plan.map(one => `  ${one}`),
  ].join('\n');
}

const indented = (text: string): string =>
  text
    .split('\n')
    .map(line => `   ${line}`)
    .join('\n');
