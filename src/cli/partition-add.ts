import { displayName, partitionId } from '../config/values.ts';
import type { Flag } from '../config/settings.ts';
import { namePartition } from '../store/partition-names.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** How people are shown the partition, such as the name of the clinic. */
export const nameFlag = {
  flag: 'name',
  value: 'TEXT',
  read: displayName,
  meaning: 'Display name of the partition, as sign-in pages show it; the ID without it',
} as const satisfies Flag;

/** Adds an empty partition; harmless where it is there with the same zone. A name that is left out stays as it is. */
export const command = defineCommand({
  positionals: 'ID',
  details: 'ID is 1 to 32 of the characters a to z, 0 to 9 and hyphen. Its base URL is {public-url}/r4/{ID}.',
  takes: [...storeSettings, 'zone'],
  own: [nameFlag],
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', partitionId);
    const name = own.name;
    await withStore(config, 'new', async ({ store }) => {
      await store.partitions.add(id, { zone: config.zone });
      if (name !== undefined) await namePartition(store, id, name);
    });
    console.log(`The partition \`${id}\` is there, with the time zone ${config.zone}.`);
    return exitCodes.done;
  },
});
