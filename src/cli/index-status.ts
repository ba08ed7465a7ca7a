import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count } from './progress.ts';

/** One line a parameter that is not ready (all of them with --all), and a closing sentence. */
export const command: Command = {
  name: 'index status',
  summary: 'Tell which search parameters are ready and which are being rebuilt',
  details:
    'Exit code 3 where some are pending: searches that use them are answered 503 until a server has rebuilt them.',
  takes: [...storeSettings, 'partition'],
  own: [{ flag: 'all', value: undefined, read: () => true, meaning: 'List the parameters that are ready too' }],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const every = await withStore(config, 'read', ({ store }) => store.indexes.status());
    const states = every.filter(({ partition }) => config.partition === undefined || partition === config.partition);
    const pending = states.filter(({ state }) => state === 'pending');
    for (const state of own['all'] === true ? states : pending) {
      const progress =
        state.state === 'ready' ? 'ready' : `pending, ${count(state.done)} of ${count(state.of)} records`;
      console.log(`${state.partition}\t${state.type}?${state.param}\t${progress}`);
    }
    console.log(`${count(states.length - pending.length)} ready, ${count(pending.length)} pending.`);
    return pending.length === 0 ? exitCodes.done : exitCodes.found;
  },
};
