import { toggle } from '../config/flag.ts';
import type { Config } from '../config/read.ts';
import type { ExplainedSearch, Explanation } from '../interaction/search/explain/explanation.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { Statement, Step } from '../interaction/search/explain/record.ts';
import { counted } from '../observability/counted.ts';
import { CommandError, defineCommand, onePositional, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import type { Opened } from './open.ts';
import { count, table } from './print.ts';

/** Runs a search without access control and prints how it is understood and answered. */
export const command = defineCommand({
  positionals: 'URL',
  details: `URL is a search as clients send it, absolute or below the base URL of the partition. It is run, and its
records are not printed. Statements have placeholders for values. \`rows\` are index entries, documents
and candidates that were read, and what was returned of them.

  npm run --silent cli -- explain 'TYPE?code=718-7&patient.name=roy&_sort=-date'`,
  takes: [...storeSettings, 'partition', 'search-deadline', 'terminology-server', 'terminology-timeout'],
  own: [toggle('json', 'Print JSON')],
  async run({ config, positionals, own }) {
    const url = onePositional(positionals, 'URL', text => text);
    return withStore(config, 'read', async opened => {
      const partition = await partitionOf(opened.store, config.partition);
      const explanation = await explained(url, opened, partition, config);
      console.log(own.json === true ? JSON.stringify(explanation, undefined, 2) : printExplanation(explanation));
    });
  },
});

async function explained(url: string, opened: Opened, partition: Partition, config: Config): Promise<Explanation> {
  const { model, store, extract, publicUrl } = opened;
  const [{ searchUrlOf }, { searchedBy }, { withExpansions }, { explainSearch }, { expanderOf }, { FhirError }] =
    await Promise.all([
      import('../interaction/search/explain/url.ts'),
      import('../interaction/search/searched.ts'),
      import('../interaction/search/search.ts'),
      import('../interaction/search/explain/explanation.ts'),
      import('../terminology/expander.ts'),
      import('../fhir/error.ts'),
    ]);
  const base = `${publicUrl}/r4/${partition.id}`;
  try {
    const { route, parameters } = searchUrlOf(model, url, base);
    const { parse } = searchedBy(model, { access: 'open', base, ...route });
    const { zone } = partition.settings;
    const context = { model, base, zone, handling: 'strict', now: Date.now(), joins: true } as const;
    const { definitions } = opened.in(partition);
    const searching = { model, definitions, store, expander: expanderOf(config) };
    const asked = await withExpansions(searching, partition, async expansions =>
      parse(parameters, { ...context, expansions }),
    );
    const both = asked.map(one => ({ given: one, asked: one }));
    const deadline = config.searchDeadline;
    const place = { partition, extract, base, model, access: 'open', deadline } as const;
    return await explainSearch(both, place, { steps: true, isRestricted: () => false });
  } catch (error) {
    if (error instanceof FhirError) throw new CommandError(error.message);
    throw error;
  }
}

/** An explanation for people. */
function printExplanation({ searches, includes, steps = [], refusal }: Explanation): string {
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
