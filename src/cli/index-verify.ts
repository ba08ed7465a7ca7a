import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count, createProgress } from './progress.ts';
import { typeFlag } from './type-flag.ts';

/** Computes every index entry again and tells what differs, by type, id and parameter, without values. */
export const command: Command = {
  name: 'index verify',
  summary: 'Compare the index entries with the records',
  details: 'Exit code 3 where they differ; `index rebuild` makes them again.',
  takes: [...storeSettings, 'partition'],
  own: [typeFlag],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    return withStore(config, 'read', async ({ store }) => {
      const { id } = await partitionOf(store, config.partition);
      const progress = createProgress('records', process.stderr, Date.now);
      const checked = new Map<string, number>();
      let differences = 0;
      for await (const step of store.indexes.verify(id, own['type'] as string | undefined)) {
        progress.update(step.checked, step.of, step.type);
        checked.set(step.type, step.checked);
        for (const difference of step.differences) console.log(difference);
        differences += step.differences.length;
      }
      progress.end();
      const total = [...checked.values()].reduce((sum, part) => sum + part, 0);
      console.log(`${count(total)} records checked, ${count(differences)} differences.`);
      return differences === 0 ? exitCodes.done : exitCodes.found;
    });
  },
};
