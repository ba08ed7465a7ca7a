import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

import { counted } from '../observability/counted.ts';

/** Drops database indexes that the definitions no longer need, and lists them. */
export const command = defineCommand({
  details: `\`index status\` lists them. Only this command drops them, since earlier definitions would need them
again. SQLite stores have none.`,
  takes: storeSettings,
  async run({ config, positionals }) {
    noPositionals(positionals);
    const found = await withStore(config, 'command', ({ store }) => store.indexes.database({ drop: true }));
    const dropped = found.filter(({ state }) => state === 'unused');
    for (const { collection, name } of dropped) console.log(`${collection}.${name}`);
    console.log(`${counted(dropped.length, 'index', 'indexes')} dropped.`);
    return exitCodes.done;
  },
});
