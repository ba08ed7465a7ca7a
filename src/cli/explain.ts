import type { Config } from '../config/read.ts';
import type { Explanation } from '../interaction/search/explain/explanation.ts';
import type { Partition } from '../store/port/partitions.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { printExplanation } from './explain-text.ts';
import { type Opened, partitionOf, withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Runs a search without access control and prints how it is understood and answered. */
export const command = defineCommand({
  positionals: 'URL',
  details: `URL is a search as clients send it, absolute or below the base URL of the partition. It is run, and its
records are not printed. Statements have placeholders for values. \`rows\` are index entries, documents
and candidates that were read, and what was returned of them.

  npm run --silent cli -- explain 'TYPE?code=718-7&patient.name=roy&_sort=-date'`,
  takes: [...storeSettings, 'partition', 'search-deadline', 'terminology-server', 'terminology-timeout'],
  own: [{ flag: 'json', value: undefined, read: () => true, meaning: 'Print JSON' }],
  async run({ config, positionals, own }) {
    const url = onePositional(positionals, 'URL', text => text);
    return withStore(config, 'read', async opened => {
      const partition = await partitionOf(opened.store, config.partition);
      const explanation = await explained(url, opened, partition, config);
      console.log(own.json === true ? JSON.stringify(explanation, undefined, 2) : printExplanation(explanation));
      return exitCodes.done;
    });
  },
});

async function explained(
  url: string,
  { model, extract, publicUrl }: Opened,
  partition: Partition,
  config: Config,
): Promise<Explanation> {
  const [{ searchUrlOf }, { searchedBy }, { withExpansions }, { explainSearch }, { expanderOf }, { FhirError }] =
    await Promise.all([
      import('../interaction/search/explain/url.ts'),
      import('../interaction/search/searched.ts'),
      import('../interaction/search/expansions.ts'),
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
    const asked = await withExpansions({ model, expander: expanderOf(config) }, async expansions =>
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
