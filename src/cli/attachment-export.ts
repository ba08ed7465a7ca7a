import { ConfigError } from '../config.ts';
import { attachmentFlags, recordsOf } from './attachment-flags.ts';
import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count, createProgress } from './progress.ts';

/** Writes records and bytes as files that any program opens. */
export const command: Command = {
  name: 'attachment export',
  summary: 'Write records and the bytes that are kept with them into a folder',
  details: `Each record as \`Type-id.json\`, its bytes beside it with the ending of their media type. No file is ever written
over. Exit code 3 where bytes are missing or are not what was kept.

  npm run --silent cli -- attachment export --type TYPE --patient ID --out ./pictures`,
  takes: [...storeSettings, 'partition'],
  own: [...attachmentFlags, { flag: 'out', value: 'DIR', read: text => text, meaning: 'The folder; made when needed' }],
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const folder = own['out'] as string | undefined; // read above
    if (folder === undefined) throw new ConfigError(['`--out` is missing.']);
    return withStore(config, 'read', async ({ model, store }) => {
      const { exportAttachments } = await import('../bulk/export-attachments.ts');
      const partition = await partitionOf(store, config.partition);
      const records = await recordsOf(partition, model, own);
      const progress = createProgress('records', process.stderr, Date.now);
      let [done, files, problemCount] = [0, 0, 0];
      for await (const { files: written, problems } of exportAttachments(partition, records, folder)) {
        done += 1;
        files += written.length - 1;
        problemCount += problems.length;
        for (const problem of problems) console.error(problem);
        progress.update(done, undefined);
      }
      progress.end();
      console.log(`${count(done)} records and ${count(files)} attachments are in ${folder}.`);
      return problemCount === 0 ? exitCodes.done : exitCodes.found;
    });
  },
};
