import type { AuditEventEntity } from 'fhir/r4.js';
import type { Flag, Given } from '../config/flag.ts';
import type { CarryingRecord } from '../bulk/attachments.ts';
import { mostNamed, recordEntity, versionReference } from '../audit/entities.ts';
import { ConfigError } from '../config/read.ts';
import { counted } from '../observability/counted.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Partition } from '../store/port/partitions.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { partitionOf, withStore } from './open.ts';
import type { Opened } from './open.ts';
import { createProgress } from './progress.ts';
import { recordId, typeFlag } from './record-flags.ts';

/** Selects records: `--type` and, for those of one patient, `--patient`. */
const attachmentFlags = [
  { ...typeFlag, meaning: 'The resource type' },
  {
    flag: 'patient',
    value: 'ID',
    read: recordId,
    meaning: 'Only records that belong to this patient',
  },
] as const satisfies readonly Flag[];

/**
 * The selected records. Throws ConfigError without a type, CommandError for an undeclared type or one whose records
 * belong to no patient.
 */
async function recordsOf(
  partition: Partition,
  { model, publicUrl }: Pick<Opened, 'model' | 'publicUrl'>,
  own: Given<typeof attachmentFlags>,
): Promise<AsyncIterable<CarryingRecord>> {
  const name = own.type;
  const patient = own.patient;
  if (name === undefined) throw new ConfigError(['`--type` is missing.']);
  const type = model.types.get(name);
  if (type === undefined)
    throw new CommandError(`The type \`${name}\` is not declared.${didYouMean(name, model.types.keys())}`);
  const [{ recordsWithAttachments }, { ownedBy }] = await Promise.all([
    import('../bulk/attachments.ts'),
    import('../auth/owned-by.ts'),
  ]);
  const query =
    patient === undefined
      ? ({ kind: 'all' } as const)
      : ownedBy({ model, base: `${publicUrl}/r4/${partition.id}` }, type, patient);
  if (query === undefined)
    throw new CommandError(`Records of the type \`${name}\` belong to no patient; omit \`--patient\`.`);
  return recordsWithAttachments(partition, name, query);
}

/** Lists attachments, one per line, separated by tabs. */
export const attachmentList = defineCommand({
  details: `One line per attachment: record, time of its last update, path, media type, bytes, SHA-256; a hyphen after
the time for a record without any.

  npm run --silent cli -- attachment list --type TYPE --patient ID`,
  takes: [...storeSettings, 'partition'],
  own: attachmentFlags,
  async run({ config, own }) {
    return withStore(config, 'read', async opened => {
      const partition = await partitionOf(opened.store, config.partition);
      for await (const { record, attachments } of await recordsOf(partition, opened, own)) {
        const start = `${record.type}/${record.id}\t${new Date(record.lastUpdated).toISOString()}`;
        if (attachments.length === 0) console.log(`${start}\t-`);
        for (const { path, contentType, size, digest } of attachments)
          console.log([start, path, contentType, size, digest].join('\t'));
      }
    });
  },
});

const flags = [
  ...attachmentFlags,
  { flag: 'out', value: 'DIR', read: String, meaning: 'The folder; created if needed' },
] as const satisfies readonly Flag[];

/** Writes records and attachments as files. */
export const attachmentExport = defineCommand({
  details: `Each record as \`Type-id.json\`, with its attachments beside it, whose extension is that of their media
type. No file is ever overwritten. Exit code 3 if attachments are missing or differ from what was stored.

  npm run --silent cli -- attachment export --type TYPE --patient ID --out ./pictures`,
  takes: [...storeSettings, 'partition'],
  own: flags,
  async run({ config, own }) {
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
