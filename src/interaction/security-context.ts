import type { Access } from '../auth/access.ts';
import { isWithin, restriction } from '../auth/restrict.ts';
import { withOnly } from '../indexing/only.ts';
import type { ResourceType } from '../model/model.ts';
import type { Partition } from '../store/port/partitions.ts';
import { hasText } from '../store/port/records.ts';
import type { VersionWithText } from '../store/port/records.ts';
import type { Engine } from './interaction.ts';

/** The parameter with the record whose access rules apply too, of a type whose `access-link` it is. */
const contextCode = 'security-context';

/**
 * Whether a caller with a scope to read the type may read a record because it may read the one that its security
 * context names, in the same partition: the content of a document reference is read by who reads that. Searches list
 * such records only by their own access links. https://hl7.org/fhir/R4/binary-definitions.html#Binary.securityContext
 */
export async function isOpenByContext(
  { model, extract }: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  { access, partition }: { readonly access: Access; readonly partition: Partition },
  record: VersionWithText,
): Promise<boolean> {
  const param = type.indexed.get(contextCode);
  const isLink = type.accessLinks.some(({ parameter }) => parameter === contextCode);
  if (param === undefined || !isLink || access === 'open') return false;
  if (access.restrictions.get(type.name)?.r === undefined) return false;
  const zoned = { id: partition.id, zone: partition.settings.zone };
  const [context] = extract(withOnly(type, [param]), record.text, zoned).map(({ value }) => value);
  if (context?.kind !== 'reference' || context.type === undefined || context.id === undefined) return false;
  const target = model.types.get(context.type);
  const found = target === undefined ? undefined : await partition.read(target.name, context.id);
  if (target === undefined || found === undefined || !hasText(found)) return false;
  return isWithin(restriction(access, target, 'r'), target, found, extract, partition);
}
