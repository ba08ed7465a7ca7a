import { ConfigError } from '../config/read.ts';
import { some } from '../config/values.ts';
import type { PendingIndex } from '../store/port/indexes.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count, createProgress } from './progress.ts';
import { typeFlag } from './type-flag.ts';

/** Rebuilds the index entries of a partition: all, or those of one type or parameter. */
export const command = defineCommand({
  details: 'Until it is done, searches by a parameter that is being rebuilt return 503.',
  takes: [...storeSettings, 'partition'],
  own: [typeFlag, { flag: 'param', value: 'CODE', read: some, meaning: 'Only this search parameter of the type' }],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
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
      return exitCodes.done;
    });
  },
});

const continues =
  'Searches by parameters that are not rebuilt yet return 503. The running or the next server ' +
  'continues; this command starts over.';
