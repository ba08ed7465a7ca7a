import { partitionName } from '../store/server/documents.ts';
import { recordsIn } from '../store/port/pages.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

/** One line per partition: id, records, time zone, base URL, display name, separated by tabs. */
export const command = defineCommand({
  details: 'One line each: id, number of records, time zone, base URL and display name, separated by tabs.',
  takes: storeSettings,
  async run({ config, positionals }) {
    noPositionals(positionals);
    return withStore(config, 'read', async ({ model, store, publicUrl }) => {
      for (const { id, settings } of await store.partitions.list()) {
        const name = await partitionName(store, id);
        const partition = await store.partition(id);
        const records = partition === undefined ? 0 : await recordsIn(partition, model.types.keys());
        console.log([id, records, settings.zone, `${publicUrl}/r4/${id}`, name].join('\t'));
      }
      return exitCodes.done;
    });
  },
});
