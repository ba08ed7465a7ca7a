import { partitionId } from '../config/values.ts';
import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Adds an empty partition; harmless where it is there with the same zone. */
export const command: Command = {
  name: 'partition add',
  positionals: 'ID',
  summary: 'Add an empty partition',
  details: 'ID is 1 to 32 of the characters a to z, 0 to 9 and hyphen. Its base URL is {public-url}/r4/{ID}.',
  takes: [...storeSettings, 'zone'],
  async run({ config, positionals }) {
    const id = onePositional(positionals, 'ID', partitionId);
    await withStore(config, 'new', ({ store }) => store.partitions.add(id, { zone: config.zone }));
    console.log(`The partition \`${id}\` is there, with the time zone ${config.zone}.`);
    return exitCodes.done;
  },
};
