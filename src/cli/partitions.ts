import { toggle } from '../config/flag.ts';
import type { Flag } from '../config/flag.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { displayName, partitionId } from '../config/values.ts';
import { namePartition, partitionName } from '../store/server/documents.ts';
import { removeSystems } from '../terminology/large/write.ts';
import { ConfigError } from '../config/read.ts';
import { recordsIn } from '../store/port/pages.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, exitCodes, onePositional, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';

/** The display name of the partition, such as the name of the clinic. */
const nameFlag = {
  flag: 'name',
  value: 'TEXT',
  read: displayName,
  meaning: 'Display name of the partition on sign-in pages; default: the ID',
} as const satisfies Flag;

/** Adds an empty partition; no effect if it exists with the same zone. Without a name the former one stays. */
export const partitionAdd = defineCommand({
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
  },
});

/** One line per partition: id, records, time zone, base URL, display name, separated by tabs. */
export const partitionList = defineCommand({
  details: 'One line each: id, number of records, time zone, base URL and display name, separated by tabs.',
  takes: storeSettings,
  async run({ config }) {
    return withStore(config, 'read', async ({ model, store, publicUrl }) => {
      for (const { id, settings } of await store.partitions.list()) {
        const name = await partitionName(store, id);
        const partition = await store.partition(id);
        const records = partition === undefined ? 0 : await recordsIn(partition, model.types.keys());
        console.log([id, records, settings.zone, `${publicUrl}/r4/${id}`, name].join('\t'));
      }
    });
  },
});

/** Changes the display name of a partition, its only mutable property. A running server shows it at once. */
export const partitionUpdate = defineCommand({
  positionals: 'ID',
  details: `Its id, which is part of its base URL, and its time zone cannot be changed.

  npm run cli -- partition update clinic --name 'Riverside Family Health'`,
  takes: storeSettings,
  own: [nameFlag, toggle('no-name', 'Remove the display name')],
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', partitionId);
    const name = own.name;
    if ((name === undefined) !== (own['no-name'] === true))
      throw new ConfigError(['Set either `--name` or `--no-name`.']);
    await withStore(config, 'command', async ({ store }) => {
      await partitionOf(store, id);
      await namePartition(store, id, name);
    });
    console.log(`The partition \`${id}\` ${name === undefined ? 'has no display name' : `is shown as ${name}`}.`);
  },
});

/** Removes a partition with its records, their history and their index entries; requires `--yes`. */
export const partitionRemove = defineCommand({
  positionals: 'ID',
  details: 'This cannot be undone: without --yes nothing is removed.',
  takes: storeSettings,
  own: [toggle('yes', 'Really remove it, with every record in it')],
  async run({ config, positionals, own }) {
    const id = onePositional(positionals, 'ID', partitionId);
    if (own.yes !== true) {
      throw new CommandError(`Every record in \`${id}\` would be lost. Add \`--yes\` to remove it.`, exitCodes.usage);
    }
    const about = { command: 'partition remove', kind: 'records', action: 'D', partition: id } as const;
    const removed = await withStore(config, 'command', opened =>
      audited(opened, about, async add => {
        const isRemoved = await opened.store.partitions.remove(id);
        await namePartition(opened.store, id, undefined);
        await removeSystems(opened.store, id);
        // Otherwise its tokens would be valid again for a new partition of the same name.
        await revoke(opened.store.documents(revocationCollection), 'partition', id, Date.now());
        if (!isRemoved) add({ details: { removed: 0 } });
        return isRemoved;
      }),
    );
    if (!removed) throw new CommandError(`There is no partition \`${id}\`.`);
    console.log(`The partition \`${id}\` is removed.`);
    return exitCodes.done;
  },
});
