import type { Store } from '../store/port/store.ts';
import { columns, printable } from './print.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { openToVerify, partitionOf } from './open.ts';
import { reasonOf, verifyAttachments, verifyAudit, verifyStore } from './verify-store.ts';

/** The findings of `verify`, with their meanings and remedies: for its help text and store/README.md. */
export const findings: readonly (readonly [finding: string, meaning: string, remedy: string])[] = [
  [
    'file',
    'The database file is damaged: it cannot be opened, a page of it cannot be read, or an index of ' +
      'the file lacks a record',
    'Stop the server, check the disk, and restore a backup',
  ],
  [
    'lost',
    'The audit log has a write of a record that is not stored',
    'Restore a backup; then load later changes from the source of the record',
  ],
  ['text', 'The text of a version is not JSON', 'Restore a backup, or load the record again and run `index rebuild`'],
  ['altered', 'A version differs from what was written: its digest does not match', 'As `text`'],
  ['stamp', 'A text has another type, id, version or time than its key', 'As `text`'],
  ['index', 'Search entries, or their description, differ from the record', 'Run `index rebuild`'],
  [
    'value',
    'Other data than records is damaged: settings, a count, a document, a mark, an idempotency key',
    'Restore a backup; clients, users and keys may be added again',
  ],
  ['missing', 'The content of an attachment does not exist', 'Copy the file of this SHA-256 from a backup'],
  ['size', 'The content of an attachment has another length', 'As `missing`'],
  ['digest', 'The content of an attachment differs from what was stored', 'As `missing`'],
  ['trashed', 'A record references an attachment in the trash', 'Start a server: its first sweep restores it'],
  [
    'orphan',
    'No record has referenced this attachment for 8 days, and no server has moved it to the trash',
    'None: the next sweep of a server does it',
  ],
  [
    'audit altered',
    'A line of the audit log was altered',
    'Find out who could write there; compare it with an export that is stored elsewhere',
  ],
  ['audit missing', 'Lines, or a whole file, of the audit log are gone', 'As `audit altered`'],
];

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
  async run({ config }) {
    const opened = await openToVerify(config);
    if ('refused' in opened) {
      console.log(['-', 'file', '-', opened.refused].map(printable).join('\t'));
      console.log('The store cannot be opened, and nothing in it was checked: 1 finding.');
      return exitCodes.found;
    }
    const { store } = opened;
    try {
      const wanted = config.partition === undefined ? undefined : (await partitionOf(store, config.partition)).id;
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
