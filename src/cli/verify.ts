import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { count, createProgress } from './progress.ts';

/** Reads all bytes that are kept beside the records and tells what is wrong with them. */
export const command: Command = {
  name: 'verify',
  summary: 'Compare the bytes of attachments with what the records say',
  details: `All partitions, or the one that --partition names. One line a finding: partition, what it is (\`missing\`, \`size\`,
\`digest\`, or \`orphan\` where no record refers to the bytes), SHA-256, the versions that refer to it. Exit code 3 where
there are any. The next start of the server deletes orphans; \`index verify\` compares the index entries.`,
  takes: [...storeSettings, 'partition'],
  async run({ config, positionals }) {
    noPositionals(positionals);
    return withStore(config, 'read', async ({ store }) => {
      const ids =
        config.partition === undefined
          ? (await store.partitions.list()).map(({ id }) => id)
          : [(await partitionOf(store, config.partition)).id];
      const progress = createProgress('attachments', process.stderr, Date.now);
      let [total, found] = [0, 0];
      for (const id of ids) {
        let checked = 0;
        for await (const step of (await partitionOf(store, id)).verifyAttachments()) {
          checked = step.checked;
          found += step.findings.length;
          progress.update(checked, step.of, id);
          for (const { is, digest, records } of step.findings) console.log([id, is, digest, ...records].join('\t'));
        }
        total += checked;
      }
      progress.end();
      console.log(`${count(total)} attachments checked, ${count(found)} findings.`);
      return found === 0 ? exitCodes.done : exitCodes.found;
    });
  },
};
