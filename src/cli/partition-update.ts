import { ConfigError } from '../config/read.ts';
import { partitionId } from '../config/values.ts';
import { namePartition } from '../store/server/documents.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import { nameFlag } from './partition-add.ts';
import { onePositional } from './positionals.ts';

/** Changes the display name of a partition, its only mutable property. A running server shows it at once. */
export const command = defineCommand({
  positionals: 'ID',
  details: `Its id, which is part of its base URL, and its time zone cannot be changed.

  npm run cli -- partition update clinic --name 'Riverside Family Health'`,
  takes: storeSettings,
  own: [nameFlag, { flag: 'no-name', value: undefined, read: () => true, meaning: 'Remove the display name' }],
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
    return exitCodes.done;
  },
});
