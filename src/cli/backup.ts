import { resolve } from 'node:path';
import { ChainedLog } from '../audit/log/log.ts';
import { publicUrlOf } from '../config/read.ts';
import { counted } from '../observability/counted.ts';
import { integer, some } from '../config/values.ts';
import type { BackupResult } from '../store/backup/port.ts';
import { audited } from './audited.ts';
import { createSteps, findingLine, printSize } from './backup-report.ts';
import { defineCommand, exitCodes, fileSettings } from './command.ts';
import { onePositional } from './positionals.ts';
import { count } from './progress.ts';

/** Copies the store, its attachments and its audit log into a folder, and verifies the copy. */
export const command = defineCommand({
  positionals: 'DIR',
  details: `DIR is a new folder. It gets a snapshot of the database, with accounts, sessions and signing keys; the
attachments that it references; the audit log; and \`backup.json\`. Every write that was acknowledged
before the time in \`backup.json\` is in the backup. The copy is read again and verified. Exit code 3 if
the store itself is damaged: the backup is complete, and has the same damage. An incomplete backup is
named DIR.partial; after an interruption run the same command again. Not included: settings, --key-file
(without it new signing keys are generated), --accounts, TLS files, definitions. Run it as the user of the
server. A MongoDB store is backed up with MongoDB's own tools.

  npm run cli -- backup ./backups/2026-11-02 --incremental ./backups/2026-11-01`,
  takes: fileSettings,
  whenStopped: 'The backup is not complete and is named DIR.partial; run the same command again.',
  own: [
    {
      flag: 'incremental',
      value: 'PREVIOUS',
      read: some,
      meaning: 'An older backup: files that it has too become hard links; it may be removed later',
    },
    {
      flag: 'pace',
      value: 'NUMBER',
      read: integer(0, 100_000),
      default: '50',
      unit: 'MB/s',
      meaning: 'Rate limit for copying and checking, so that a server stays fast; 0 for no limit',
    },
  ],
  async run({ config, positionals, own }) {
    const folder = resolve(onePositional(positionals, 'DIR', some));
    const previous = own.incremental;
    const pace = own.pace * 1_000_000 || Infinity;
    const { openBackupSource } = await import('../store/backup/open.ts');
    const store = await openBackupSource(config.store);
    const audit = new ChainedLog(store.chains, Date.now);
    const steps = createSteps();
    try {
      const publicUrl = config.publicUrl ?? store.publicUrl ?? publicUrlOf(config);
      const about = { command: 'backup', kind: 'export', action: 'R', details: { to: folder } } as const;
      const result = await audited({ audit, publicUrl }, about, async add => {
        const done = await store.backup({ folder, previous, pace, progress: steps.update });
        add({ details: figuresOf(done) });
        return done;
      });
      steps.end();
      for (const finding of result.findings) console.log(findingLine(finding));
      console.log(`Backup of ${result.manifest.time} in ${folder}: ${contentOf(result)}.`);
      return result.findings.length === 0 ? exitCodes.done : exitCodes.found;
    } finally {
      steps.end();
      await audit.close();
      store.close();
    }
  },
});

function figuresOf({ manifest: { database, attachments }, findings }: BackupResult): Readonly<Record<string, number>> {
  return { records: database.records, attachments: attachments.files, findings: findings.length };
}

function contentOf({ manifest: { database, attachments, audit }, linked, findings }: BackupResult): string {
  const shared = linked > 0 ? `, ${count(linked)} linked` : '';
  const events = audit.reduce((sum, { size }) => sum + size, 0);
  return [
    `${counted(database.records, 'record')} (${printSize(database.size)})`,
    `${counted(attachments.files, 'attachment')} (${printSize(attachments.size)}${shared})`,
    `audit log (${printSize(events)})`,
    `verified, ${counted(findings.length, 'finding')}`,
  ].join(', ');
}
