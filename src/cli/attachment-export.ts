import type { AuditEventEntity } from 'fhir/r4.js';
import type { Flag } from '../config/flag.ts';
import type { CarryingRecord } from '../bulk/attachments.ts';
import { mostNamed, recordEntity, versionReference } from '../audit/entities.ts';
import { ConfigError } from '../config/read.ts';
import { audited } from './audited.ts';
import { attachmentFlags, recordsOf } from './attachment-flags.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { partitionOf, withStore } from './open.ts';
import { noPositionals } from './positionals.ts';
import { createProgress } from './progress.ts';
import { counted } from '../observability/counted.ts';

const flags = [
  ...attachmentFlags,
  { flag: 'out', value: 'DIR', read: String, meaning: 'The folder; created if needed' },
] as const satisfies readonly Flag[];

/** Writes records and attachments as files. */
export const command = defineCommand({
  details: `Each record as \`Type-id.json\`, with its attachments beside it, whose extension is that of their media
type. No file is ever overwritten. Exit code 3 if attachments are missing or differ from what was stored.

  npm run --silent cli -- attachment export --type TYPE --patient ID --out ./pictures`,
  takes: [...storeSettings, 'partition'],
  own: flags,
  async run({ config, positionals, own }) {
    noPositionals(positionals);
    const folder = own.out;
    if (folder === undefined) throw new ConfigError(['`--out` is missing.']);
    return withStore(config, 'read', async opened => {
      const { model, store, extract, publicUrl, owner } = opened;
      const [{ exportAttachments }, { createAddPatients }] = await Promise.all([
        import('../bulk/export-attachments.ts'),
        import('../audit/patients.ts'),
      ]);
      const partition = await partitionOf(store, config.partition);
      const records = await recordsOf(partition, opened, own);
      const progress = createProgress('records', process.stderr, Date.now);
      let [done, files, problemCount] = [0, 0, 0];
      const addPatients = createAddPatients(model, extract, publicUrl);
      const patient = own.patient;
      const patients = new Set<string>(patient === undefined ? [] : [patient]);
      const named: AuditEventEntity[] = [];
      const noted = async function* (source: AsyncIterable<CarryingRecord>): AsyncIterable<CarryingRecord> {
        for await (const carrying of source) {
          addPatients(patients, carrying.record, partition);
          if (named.length <= mostNamed) named.push(recordEntity(versionReference(carrying.record)));
          yield carrying;
        }
      };
      const about = {
        command: 'attachment export',
        kind: 'export',
        action: 'R',
        partition: partition.id,
        owner,
        patients,
        details: own.type === undefined ? {} : { type: own.type },
      } as const;
      const written = (): string =>
        `${counted(done, 'record')} and ${counted(files, 'attachment')} written to ${folder}.`;
      const stopped = (): string => `Stopped. ${written()} To start over, name another folder: no file is overwritten.`;
      await interruptible(stopped, ({ steps }) =>
        audited(opened, about, async add => {
          try {
            for await (const { files: own, problems } of steps(exportAttachments(partition, noted(records), folder))) {
              done += 1;
              files += own.length - 1;
              problemCount += problems.length;
              for (const problem of problems) console.error(problem);
              progress.update(done, undefined);
            }
          } finally {
            progress.end();
            // also the progress before a failure
            add({ records: named, details: { records: done, attachments: files } });
          }
        }),
      );
      console.log(written());
      return problemCount === 0 ? exitCodes.done : exitCodes.found;
    });
  },
});
