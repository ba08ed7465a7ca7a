import type { Store } from '../store/port/store.ts';
import { columns } from './columns.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { findings } from './findings.ts';
import { openToVerify, partitionOf } from './open.ts';
import { noPositionals } from './positionals.ts';
import { printable } from './printable.ts';
import { reasonOf, verifyAttachments, verifyStore } from './verify-store.ts';

/** Reads everything in the store: records, index entries, attachments and audit events; and reports damage. */
export const command = defineCommand({
  details: `All partitions, or the one of --partition. Nothing is changed, and a server may run meanwhile. Exit code 3
if there are findings. One line each, separated by tabs: partition (or a hyphen), finding, record, and
reason; for attachments SHA-256 and the versions that reference it; for the audit log \`audit\`, finding,
chain of events, line. Unreadable data is listed, and the rest is still checked.

${columns(findings.map(([finding, meaning, remedy]) => [finding, `${meaning}. ${remedy}.`]))}

Reported without being findings: versions without a digest, which an older release wrote and a server fills
in; \`audit torn\`, an end that was not written whole when a process was killed; \`unwritten\`, with
partition, time, client and record, if the server was killed during a write.`,
  takes: [...storeSettings, 'partition'],
  whenStopped: 'The findings so far are listed; nothing in the store was changed.',
  async run({ config, positionals }) {
    noPositionals(positionals);
    const opened = await openToVerify(config);
    if ('refused' in opened) {
      console.log(['-', 'file', '-', opened.refused].map(printable).join('\t'));
      console.log('The store cannot be opened, and nothing in it was checked: 1 finding.');
      return exitCodes.found;
    }
    const { store } = opened;
    try {
      const wanted = config.partition === undefined ? undefined : (await partitionOf(store, config.partition)).id;
      const { verifyAudit } = await import('./verify-audit.ts');
      let found = await verifyStore(store, wanted);
      found += await verifyAttachments(store, await partitionsOf(store, wanted));
      found += await verifyAudit(opened, wanted === undefined ? {} : { partition: wanted });
      return found === 0 ? exitCodes.done : exitCodes.found;
    } finally {
      await opened.close();
    }
  },
});

/** Empty if the file cannot list them: that is among the findings. */
async function partitionsOf(store: Store, wanted: string | undefined): Promise<readonly string[]> {
  try {
    return wanted === undefined ? (await store.partitions.list()).map(({ id }) => id) : [wanted];
  } catch (error) {
    console.error(`The attachments cannot be checked: ${reasonOf(error)}`);
    return [];
  }
}
