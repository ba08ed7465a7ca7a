import { recordsIn } from '../store/port/pages.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { createProgress } from './progress.ts';
import { typeFlag } from './type-flag.ts';
import { counted } from '../observability/counted.ts';

/** Computes every index entry again and lists the differences, by type, id and parameter, without values. */
export const command = defineCommand({
  details: 'Exit code 3 if they differ; `index rebuild` repairs them.',
  takes: [...storeSettings, 'partition'],
  whenStopped: 'The findings so far are listed; nothing in the store was changed.',
  own: [typeFlag],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    return withStore(config, 'read', async ({ model, store }) => {
      const partition = await partitionOf(store, config.partition);
      const type = own.type;
      const total = await recordsIn(partition, type === undefined ? model.types.keys() : [type]);
      const progress = createProgress('records', process.stderr, Date.now);
      const checked = new Map<string, number>();
      let differences = 0;
      for await (const step of store.verify({ partition: partition.id, only: 'indexes', type })) {
        if (step.step === 'attachments') continue;
        checked.set(step.type ?? '', step.checked);
        progress.update(sum(checked.values()), total, step.type);
        for (const { what, why } of step.findings) console.log(`${what}: ${why}`);
        differences += step.findings.length;
      }
      progress.end();
      console.log(`${counted(sum(checked.values()), 'record')} checked, ${counted(differences, 'difference')}.`);
      return differences === 0 ? exitCodes.done : exitCodes.found;
    });
  },
});

function sum(parts: Iterable<number>): number {
  return [...parts].reduce((total, part) => total + part, 0);
}
