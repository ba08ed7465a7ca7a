import type { Access } from '../auth/access.ts';
import type { Partition } from '../store/partitions.ts';
import { isWithin, restriction } from '../auth/restrict.ts';
import { gone, notFound } from '../fhir/error.ts';
import { isId } from '../fhir/id.ts';
import type { ResourceType } from '../model/model.ts';
import type { StoredVersion } from '../store/records.ts';
import type { Engine } from './interaction.ts';

/**
 * The resource of a type with an id, if the caller may read it. Throws FhirError 404 if it never existed (also for an
 * invalid id, or one that the caller may not see) and 410 if it was deleted, which is returned only to callers who may
 * see every record of the type. https://hl7.org/fhir/R4/http.html#read
 */
export async function findVisible(
  { extract }: Pick<Engine, 'extract'>,
  type: ResourceType,
  { partition, access, id }: { readonly partition: Partition; readonly access: Access; readonly id: string },
): Promise<StoredVersion & { readonly text: string }> {
  const found = isId(id) ? await partition.read(type.name, id) : undefined;
  if (found === undefined) throw notFound(type.name, id);
  const rule = restriction(access, type, 'r');
  const { text } = found;
  if (text === undefined) throw rule.kind === 'all' ? gone(type.name, id) : notFound(type.name, id);
  const record = { ...found, text };
  if (!isWithin(rule, type, record, extract, partition)) throw notFound(type.name, id);
  return record;
}
