import { counted } from '../observability/counted.ts';
import { toggle } from '../config/flag.ts';
import { integer, some } from '../config/values.ts';
import { readIndexUsage, usageCollection, usageDays } from '../store/server/index-usage.ts';
import type { UsedIndex } from '../store/server/index-usage.ts';
import { ConfigError } from '../config/read.ts';
import type { PendingIndex } from '../store/port/indexes.ts';
import { recordsIn } from '../store/port/pages.ts';
import { pagesOf } from '../store/port/pages.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import type { Opened } from './open.ts';
import { createProgress } from './progress.ts';
import { interruptible } from './interruption.ts';
import { typeFlag } from './record-flags.ts';
import { count, notIndexedLines } from './print.ts';
import { printSize } from './backup.ts';

/**
 * One line for each parameter that is not ready (for all with --all) or database index that differs from the
 * definitions, and a closing sentence.
 */
export const indexStatus = defineCommand({
  details: `Exit code 3 if some are pending: searches by them return 503 until a server has rebuilt them. If
fhirpath.js runs the expression of a parameter, which may fail on a record, all records of its type are
read, and those that are not indexed are counted. On MongoDB, database indexes are listed that are
\`missing\` or \`building\` (searches that need them are slow until then; a server builds them), or
\`unused\`: see \`index drop-unused\`. --sizes reads all index pages of an SQLite store.`,
  takes: [...storeSettings, 'partition'],
  own: [
    toggle('all', 'List the parameters that are ready too'),
    toggle('sizes', 'List all indexes of the database with their sizes, which parameters and partitions share'),
  ],
  async run({ config, own }) {
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

/** Computes every index entry again and lists the differences, by type, id and parameter, without values. */
export const indexVerify = defineCommand({
  details: 'Exit code 3 if they differ; `index rebuild` repairs them.',
  takes: [...storeSettings, 'partition'],
  whenStopped: 'The findings so far are listed; nothing in the store was changed.',
  own: [typeFlag],
  async run({ config, own }) {
    return withStore(config, 'read', async ({ model, store }) => {
      const partition = await partitionOf(store, config.partition);
      const type = own.type;
      const total = await recordsIn(partition, type === undefined ? model.types.keys() : [type]);
      const progress = createProgress('records', process.stderr, Date.now);
      const checked = new Map<string, number>();
      let differences = 0;
      for await (const step of store.verify({ partition: partition.id, only: 'indexes', type })) {
        if (step.step === 'attachments') continue;
        checked.set(step.type ?? '', step.checked);
        progress.update(sum(checked.values()), total, step.type);
        for (const { what, why } of step.findings) console.log(`${what}: ${why}`);
        differences += step.findings.length;
      }
      progress.end();
      console.log(`${counted(sum(checked.values()), 'record')} checked, ${counted(differences, 'difference')}.`);
      return differences === 0 ? exitCodes.done : exitCodes.found;
    });
  },
});

function sum(parts: Iterable<number>): number {
  return [...parts].reduce((total, part) => total + part, 0);
}

/** Rebuilds the index entries of a partition: all, or those of one type or parameter. */
export const indexRebuild = defineCommand({
  details: 'Until it is done, searches by a parameter that is being rebuilt return 503.',
  takes: [...storeSettings, 'partition'],
  own: [typeFlag, { flag: 'param', value: 'CODE', read: some, meaning: 'Only this search parameter of the type' }],
  async run({ config, own }) {
    const type = own.type;
    const param = own.param;
    if (param !== undefined && type === undefined) throw new ConfigError(['`--param` requires `--type`.']);
    return withStore(config, 'command', async ({ model, store }) => {
      const { id } = await partitionOf(store, config.partition);
      if (type !== undefined && !model.types.has(type)) throw new CommandError(`${type} is not a declared type.`);
      if (type !== undefined && param !== undefined && model.types.get(type)?.indexed.has(param) !== true) {
        throw new CommandError(`\`${param}\` is not an indexed parameter of ${type}.`);
      }
      const progress = createProgress('records', process.stderr, Date.now);
      let at: PendingIndex | undefined;
      const stopped = (): string =>
        `Stopped${at === undefined ? '' : ` at ${count(at.done)} of ${count(at.of)} records of ${at.type}`}. ` +
        continues;
      await interruptible(stopped, async ({ steps }) => {
        try {
          for await (at of steps(store.indexes.rebuild(id, type, param)))
            progress.update(at.done, at.of, `${at.type}?${at.param}`);
        } finally {
          progress.end();
        }
      });
      console.log('The index entries are rebuilt.');
    });
  },
});

const continues =
  'Searches by parameters that are not rebuilt yet return 503. The running or the next server ' +
  'continues; this command starts over.';

/** One line for each declared index, the most used first, and a closing sentence. */
export const indexUsage = defineCommand({
  details: `Each line has the index, its use, how many searches and counts used it, and the last day (UTC) on which
one did. \`search\` is the index that finds matches, \`sort\` the one that has the order; a pair such as
\`patient+code\` is used instead of its parts. Servers add what they counted every five minutes and when
they end; the uses of 31 days are stored. An index that no search uses costs space and time at each write:
its declaration may be removed, unless an access rule needs it.`,
  takes: storeSettings,
  own: [
    {
      flag: 'days',
      value: 'NUMBER',
      read: integer(1, usageDays),
      default: '7',
      meaning: 'Days that are added up, today included',
    },
    toggle('unused', 'List only indexes that no search used'),
  ],
  async run({ config, own }) {
    const days = own.days ?? 7;
    const { indexes, since } = await withStore(config, 'read', ({ store, model }) =>
      readIndexUsage(store.documents(usageCollection), model, days, Date.now()),
    );
    const unused = indexes.filter(({ uses }) => uses === 0);
    for (const one of own.unused === true ? unused : indexes) console.log(lineOf(one));
    const period = since === undefined ? 'no server has counted a search' : `counted since ${since}`;
    const used = indexes.length - unused.length;
    console.log(
      `${counted(used, 'index', 'indexes')} used, ${count(unused.length)} never, ` +
        `in the last ${counted(days, 'day')}; ${period}.`,
    );
  },
});

function lineOf({ type, code, use, uses, last }: UsedIndex): string {
  return [`${type}?${code}`, use, uses === 0 ? 'never' : count(uses), last ?? '-'].join('\t');
}

/** Drops database indexes that the definitions no longer need, and lists them. */
export const indexDropUnused = defineCommand({
  details: `\`index status\` lists them. Only this command drops them, since earlier definitions would need them
again. SQLite stores have none.`,
  takes: storeSettings,
  async run({ config }) {
    const found = await withStore(config, 'command', ({ store }) => store.indexes.database({ drop: true }));
    const dropped = found.filter(({ state }) => state === 'unused');
    for (const { collection, name } of dropped) console.log(`${collection}.${name}`);
    console.log(`${counted(dropped.length, 'index', 'indexes')} dropped.`);
  },
});
