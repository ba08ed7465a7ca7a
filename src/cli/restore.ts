import { resolve } from 'node:path';
import { ChainedLog } from '../audit/log/log.ts';
import { publicUrlOf } from '../config/read.ts';
import { counted } from '../observability/counted.ts';
import { some } from '../config/values.ts';
import type { RestoreOptions } from '../store/backup/port.ts';
import { audited } from './audited.ts';
import { createSteps, findingLine } from './backup-report.ts';
import { defineCommand, exitCodes, fileSettings } from './command.ts';
import { onePositional } from './positionals.ts';

/** Restores a store from a backup, which stays unchanged. */
export const command = defineCommand({
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
