import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { notIndexedLines } from './not-indexed.ts';
import { withStore } from './open.ts';
import type { Opened } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count } from './progress.ts';
import { counted } from '../observability/counted.ts';
import { printSize } from './backup-report.ts';
import { pagesOf } from '../store/port/pages.ts';

/**
 * One line for each parameter that is not ready (for all with --all) or database index that differs from the
 * definitions, and a closing sentence.
 */
export const command = defineCommand({
  details: `Exit code 3 if some are pending: searches by them return 503 until a server has rebuilt them. If
fhirpath.js runs the expression of a parameter, which may fail on a record, all records of its type are
read, and those that are not indexed are counted. On MongoDB, database indexes are listed that are
\`missing\` or \`building\` (searches that need them are slow until then; a server builds them), or
\`unused\`: see \`index drop-unused\`. --sizes reads all index pages of an SQLite store.`,
  takes: [...storeSettings, 'partition'],
  own: [
    { flag: 'all', value: undefined, read: () => true, meaning: 'List the parameters that are ready too' },
    {
      flag: 'sizes',
      value: undefined,
      read: () => true,
      meaning: 'List all indexes of the database with their sizes, which parameters and partitions share',
    },
  ],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const { every, below, notIndexed } = await withStore(config, 'read', async opened => ({
      every: await opened.store.indexes.status(),
      below: await opened.store.indexes.database({ sizes: own.sizes === true }),
      notIndexed: await countNotIndexed(opened, config.partition),
    }));
    const states = every.filter(({ partition }) => config.partition === undefined || partition === config.partition);
    const pending = states.filter(({ state }) => state === 'pending');
    for (const state of own.all === true ? states : pending) {
      const progress =
        state.state === 'ready' ? 'ready' : `pending, ${count(state.done)} of ${counted(state.of, 'record')}`;
      console.log(`${state.partition}\t${state.type}?${state.param}\t${progress}`);
    }
    for (const line of notIndexedLines(notIndexed)) console.log(line);
    for (const { collection, name, state, bytes } of below) {
      const size = bytes === undefined ? '' : `\t${printSize(bytes)}`;
      console.log(`${collection}.${name}\t${state}${size}`);
    }
    console.log(`${count(states.length - pending.length)} ready, ${count(pending.length)} pending.`);
    return pending.length === 0 ? exitCodes.done : exitCodes.found;
  },
});

/** Reads the records of the types with parameters whose expression may fail on a record. */
async function countNotIndexed(
  { store, model, extract, notIndexed }: Opened,
  only: string | undefined,
): Promise<Opened['notIndexed']> {
  const types = [...model.types.values()].filter(({ indexed }) =>
    [...indexed.values()].some(({ delegated }) => delegated),
  );
  for (const { id } of types.length === 0 ? [] : await store.partitions.list()) {
    const partition = only === undefined || only === id ? await store.partition(id) : undefined;
    if (partition === undefined) continue;
    const place = { id, zone: partition.settings.zone };
    for (const type of types)
      for await (const versions of pagesOf(partition, type.name, { kind: 'all' }))
        for (const { text } of versions) if (text !== undefined) extract(type, text, place);
  }
  return notIndexed;
}
