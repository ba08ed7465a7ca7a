import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { attachmentFlags, recordsOf } from './attachment-flags.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

/** Lists attachments, one per line, separated by tabs. */
export const command = defineCommand({
  details: `One line per attachment: record, time of its last update, path, media type, bytes, SHA-256; a hyphen after
the time for a record without any.

  npm run --silent cli -- attachment list --type TYPE --patient ID`,
  takes: [...storeSettings, 'partition'],
  own: attachmentFlags,
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    return withStore(config, 'read', async opened => {
      const partition = await partitionOf(opened.store, config.partition);
      for await (const { record, attachments } of await recordsOf(partition, opened, own)) {
        const start = `${record.type}/${record.id}\t${new Date(record.lastUpdated).toISOString()}`;
        if (attachments.length === 0) console.log(`${start}\t-`);
        for (const { path, contentType, size, digest } of attachments)
          console.log([start, path, contentType, size, digest].join('\t'));
      }
      return exitCodes.done;
    });
  },
});
