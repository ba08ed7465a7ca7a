import { resolve } from 'node:path';
import { ChainedLog } from '../audit/log/log.ts';
import { publicUrlOf } from '../config/read.ts';
import { counted } from '../observability/counted.ts';
import { integer, some } from '../config/values.ts';
import type { BackupFinding, BackupResult, BackupStep, RestoreOptions } from '../store/backup/port.ts';
import { audited } from './audited.ts';
import { defineCommand, exitCodes, fileSettings, onePositional } from './command.ts';
import { createProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { count, printable } from './print.ts';

/** Copies the store, its attachments and its audit log into a folder, and verifies the copy. */
export const backup = defineCommand({
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

/** Restores a store from a backup, which stays unchanged. */
export const restore = defineCommand({
  positionals: 'DIR',
  details: `DIR is a folder of \`backup\`. --store names the new file. Nothing is replaced: neither the file may
exist, nor its attachments and audit log. The file gets its name last, after verification; after an
interruption run the same command again. Exit code 3 if data was damaged when it was backed up, or
attachments or audit log have been damaged since. A database that differs from the backup is not restored.
Settings, key file, accounts file, TLS files and definitions are not part of a backup. Clients, users,
sessions and tokens are those of the time of the backup: repeat later removals and rotations.

  npm run cli -- restore ./backups/2026-11-02 --store sqlite:./data/records.sqlite`,
  takes: fileSettings,
  whenStopped: 'The store is not complete yet; run the same command again.',
  async run({ config, positionals }) {
    const folder = resolve(onePositional(positionals, 'DIR', some));
    const { restoreStore } = await import('../store/backup/open.ts');
    const steps = createSteps();
    const withEvents: RestoreOptions['audited'] = async ({ chains, publicUrl: kept, manifest }, lastStep) => {
      const details = { from: folder, time: manifest.time, records: manifest.database.records };
      const about = { command: 'restore', kind: 'import', action: 'C', details } as const;
      const publicUrl = config.publicUrl ?? kept ?? publicUrlOf(config);
      const audit = new ChainedLog(chains, Date.now);
      try {
        await audited({ audit, publicUrl }, about, lastStep);
      } finally {
        await audit.close();
      }
    };
    const restoring = restoreStore(config.store, { folder, progress: steps.update, audited: withEvents });
    const { manifest, findings } = await restoring.finally(() => steps.end());
    for (const finding of findings) console.log(findingLine(finding));
    const { time, database, attachments } = manifest;
    const content = `${counted(database.records, 'record')}, ${counted(attachments.files, 'attachment')}`;
    console.log(`${config.store} is as of ${time}: ${content}; verified, ${counted(findings.length, 'finding')}.`);
    return findings.length === 0 ? exitCodes.done : exitCodes.found;
  },
});

/** Shows the progress of a backup or a restore: one line for each step. */
function createSteps(): { readonly update: (step: BackupStep) => void; readonly end: () => void } {
  let [part, progress]: [BackupStep['part'] | undefined, Progress | undefined] = [undefined, undefined];
  return {
    update(step) {
      if (step.of === 0) return;
      if (step.part !== part) {
        progress?.end();
        [part, progress] = [step.part, createProgress('MB', process.stderr, Date.now)];
      }
      progress?.update(megabytes(step.done), megabytes(step.of), step.part);
    },
    end: () => progress?.end(),
  };
}

/** One line for a finding, in the format of `verify`. */
function findingLine(finding: BackupFinding): string {
  switch (finding.in) {
    case 'database':
      return [finding.partition ?? '-', finding.is, finding.what, finding.why].map(printable).join('\t');
    case 'attachments':
      return [finding.partition, finding.is, finding.digest, ...finding.records].join('\t');
    case 'audit':
      return ['audit', finding.is, finding.chain, finding.line ?? '-'].join('\t');
    default:
      return finding satisfies never;
  }
}

/** 1 MB is 1,000,000 bytes; rounded up. */
const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

/** 5240000 → `5.2 MB`. */
export function printSize(bytes: number): string {
  return bytes < 1_000_000_000
    ? `${count(Math.ceil(bytes / 100_000) / 10)} MB`
    : `${count(Math.ceil(bytes / 100_000_000) / 10)} GB`;
}
