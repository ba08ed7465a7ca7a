import type { CarryingRecord } from '../bulk/attachments.ts';
import { ConfigError } from '../config/read.ts';
import type { Flag, Given } from '../config/flag.ts';
import { isId } from '../fhir/reference.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Partition } from '../store/port/partitions.ts';
import { CommandError } from './command.ts';
import type { Opened } from './open.ts';
import { typeFlag } from './type-flag.ts';

/** Selects records: `--type` and, for those of one patient, `--patient`. */
export const attachmentFlags = [
  { ...typeFlag, meaning: 'The resource type' },
  {
    flag: 'patient',
    value: 'ID',
    read: text => {
      if (isId(text)) return text;
      throw new Error(`is \`${text}\`, which is not an id.`);
    },
    meaning: 'Only records that belong to this patient',
  },
] as const satisfies readonly Flag[];

/**
 * The selected records. Throws ConfigError without a type, CommandError for an undeclared type or one whose records
 * belong to no patient.
 */
export async function recordsOf(
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
