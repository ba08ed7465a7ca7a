import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count } from './progress.ts';
import { counted } from '../observability/counted.ts';

/** One line a parameter that is not ready (all of them with --all) or an index that is not as it should be, and a closing sentence. */
export const command: Command = {
  name: 'index status',
  summary: 'Tell which search parameters are ready and which are being rebuilt',
  details: `Exit code 3 where some are pending: searches that use them are answered 503 until a server has rebuilt them. On MongoDB,
indexes of the database are named that are \`missing\` or \`building\` (searches that need them are slow until then; a server
builds them), or \`unused\`: see \`index drop-unused\`.`,
  takes: [...storeSettings, 'partition'],
  own: [{ flag: 'all', value: undefined, read: () => true, meaning: 'List the parameters that are ready too' }],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const { every, below } = await withStore(config, 'read', async ({ store: { indexes } }) => ({
      every: await indexes.status(),
      below: await indexes.database(),
    }));
    const states = every.filter(({ partition }) => config.partition === undefined || partition === config.partition);
    const pending = states.filter(({ state }) => state === 'pending');
    for (const state of own['all'] === true ? states : pending) {
      const progress =
        state.state === 'ready' ? 'ready' : `pending, ${count(state.done)} of ${counted(state.of, 'record')}`;
      console.log(`${state.partition}\t${state.type}?${state.param}\t${progress}`);
    }
    for (const { collection, name, state } of below) console.log(`${collection}.${name}\t${state}`);
    console.log(`${count(states.length - pending.length)} ready, ${count(pending.length)} pending.`);
    return pending.length === 0 ? exitCodes.done : exitCodes.found;
  },
};
