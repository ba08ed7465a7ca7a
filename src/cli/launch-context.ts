import { ownedBy } from '../auth/owned-by.ts';
import { matches } from '../search/matches.ts';
import type { Partition } from '../store/port/partitions.ts';
import { CommandError } from './command.ts';
import type { Opened } from './open.ts';

/** Ids of the records in the context of a launch. */
export interface LaunchContext {
  readonly patient: string | undefined;
  readonly encounter: string | undefined;
}

/**
 * Throws CommandError if a record in context does not exist, or the encounter belongs to another patient: the app would
 * show one person's visit in the record of another.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#launch-context-arrives-with-your-access_token
 */
export async function requireContext(
  { patient, encounter }: LaunchContext,
  partition: Partition,
  { model, extract, owner, publicUrl }: Pick<Opened, 'model' | 'extract' | 'owner' | 'publicUrl'>,
): Promise<void> {
  if (patient !== undefined && owner !== undefined && (await partition.read(owner, patient)) === undefined)
    throw new CommandError(`There is no ${owner} \`${patient}\` in \`${partition.id}\`.`);
  // `launch/encounter` has the name of the type in lower case.
  const type = [...model.types.values()].find(({ name }) => name.toLowerCase() === 'encounter');
  if (encounter === undefined || type === undefined || owner === undefined) return;
  if (patient === undefined)
    throw new CommandError(`Name the patient of the encounter \`${encounter}\` with \`--patient\`.`);
  const found = await partition.read(type.name, encounter);
  if (found?.text === undefined)
    throw new CommandError(`There is no ${type.name} \`${encounter}\` in \`${partition.id}\`.`);
  const { id, lastUpdated, text } = found;
  const rule = ownedBy({ model, base: `${publicUrl}/r4/${partition.id}` }, type, patient);
  const entries = extract(type, text, { id: partition.id, zone: partition.settings.zone });
  if (rule === undefined || matches(rule, { id, lastUpdated, entries })) return;
  throw new CommandError(`The ${type.name} \`${encounter}\` does not belong to the ${owner} \`${patient}\`.`);
}
