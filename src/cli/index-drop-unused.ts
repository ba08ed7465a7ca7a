import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count } from './progress.ts';

/** Drops the database's own indexes that the definitions do not need any more, and names them. */
export const command: Command = {
  name: 'index drop-unused',
  summary: 'Drop indexes of MongoDB that the definitions do not need any more',
  details: `\`index status\` names them before. Nothing else drops them: who goes back to earlier definitions needs them again.
A store in a file keeps none.`,
  takes: storeSettings,
  async run({ config, positionals }) {
    noPositionals(positionals);
    const dropped = await withStore(config, 'command', ({ store }) => store.indexes.dropUnused());
    for (const name of dropped) console.log(name);
    console.log(`${count(dropped.length)} indexes dropped.`);
    return exitCodes.done;
  },
};
