import { displayName, partitionId } from '../config/values.ts';
import type { Flag } from '../config/flag.ts';
import { namePartition } from '../store/server/documents.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** The display name of the partition, such as the name of the clinic. */
export const nameFlag = {
  flag: 'name',
  value: 'TEXT',
  read: displayName,
  meaning: 'Display name of the partition on sign-in pages; default: the ID',
} as const satisfies Flag;

/** Adds an empty partition; no effect if it exists with the same zone. Without a name the former one stays. */
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
    console.log(`The partition \`${id}\` exists, with the time zone ${config.zone}.`);
    return exitCodes.done;
  },
});
