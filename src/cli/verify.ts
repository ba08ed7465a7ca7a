import type { AttachmentProgress, AuditFilter, Store } from '../store/store.ts';
import { exitCodes, storeSettings } from './command.ts';
import type { Command } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { printable } from './printable.ts';
import { count, createProgress } from './progress.ts';

/** Reads all bytes that are kept beside the records, and all audit events, and tells what is wrong with them. */
export const command: Command = {
  name: 'verify',
  summary: 'Compare the bytes of attachments with the records, and look for damage in the audit log',
  details: `All partitions, or the one that --partition names. One line a finding: partition, what it is, SHA-256, the
versions that refer to it. Exit code 3 where there are any. \`missing\`, \`size\`, \`digest\`: the bytes are lost or damaged;
\`trashed\`: they are in the trash, from which a server takes them back when it starts; \`orphan\`: no record has referred
to them for 8 days, and no server has moved them to the trash. Bytes without a record are kept for 7 days, then in the
trash for 7 more: these are counted and are no findings. \`index verify\` compares the index entries.
Of the audit log, of all partitions: \`audit\`, what it is (\`altered\`, \`missing\`), chain of events, line. These are told, and are
no findings: \`torn\`, an end that was not written whole when a process was killed; and \`unwritten\`, with partition, time,
client and record, where a write was begun and the server killed before it was done.`,
  takes: [...storeSettings, 'partition'],
  whenStopped: 'What was found until then is listed; nothing in the store was changed.',
  async run({ config, positionals }) {
    noPositionals(positionals);
    return withStore(config, 'read', async ({ store }) => {
      const ids =
        config.partition === undefined
          ? await store.partitions.ids()
          : [(await partitionOf(store, config.partition)).id];
      const progress = createProgress('attachments', process.stderr, Date.now);
      let [total, found, waiting, trashed] = [0, 0, 0, 0];
      for (const id of ids) {
        let last: AttachmentProgress | undefined;
        for await (const step of (await partitionOf(store, id)).verifyAttachments()) {
          last = step;
          found += step.findings.length;
          progress.update(step.checked, step.of, id);
          for (const { is, digest, records } of step.findings) console.log([id, is, digest, ...records].join('\t'));
        }
        total += last?.checked ?? 0;
        waiting += last?.waiting ?? 0;
        trashed += last?.trashed ?? 0;
      }
      progress.end();
      console.log(`${count(total)} attachments checked, ${count(found)} findings.`);
      if (waiting + trashed > 0)
        console.log(
          `Without a record: ${count(waiting)} attachments that are kept for 7 days, ${count(trashed)} in the trash.`,
        );
      const damage = await verifyAudit(store, config.partition === undefined ? {} : { partition: config.partition });
      return found + damage === 0 ? exitCodes.done : exitCodes.found;
    });
  },
};

/** While a server runs, what was begun so many milliseconds ago may be under way. */
const underWay = 60_000;

/** Tells what is wrong with the audit log, and which writes were begun and not done; gives how many findings that is. */
async function verifyAudit(store: Store, filter: AuditFilter): Promise<number> {
  const { unfinishedWrites } = await import('../audit/unfinished.ts');
  let found = 0;
  for await (const { chain, line, is } of store.audit.verify()) {
    if (is !== 'torn') found += 1;
    console.log(['audit', is, chain, line ?? '-'].join('\t'));
  }
  const until = (await store.served()) ? Date.now() - underWay : Infinity;
  let unwritten = 0;
  for (const { partition: id, recorded, client, targets } of await unfinishedWrites(store.audit, filter)) {
    const partition = recorded < until ? await store.partition(id) : undefined;
    const keys = targets.map(target => target.split('/')).map(([type = '', id = '']) => ({ type, id }));
    if (partition === undefined || (await partition.readMany(keys)).length > 0) continue;
    unwritten += 1;
    console.log([id, 'unwritten', new Date(recorded).toISOString(), printable(client ?? '-'), ...targets].join('\t'));
  }
  console.log(`Audit log: ${count(found)} findings, ${count(unwritten)} writes that were begun and not done.`);
  return found;
}
