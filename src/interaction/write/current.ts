import { isWithin, restriction } from '../../auth/restrict.ts';
import { isWritable } from '../../auth/writable.ts';
import type { Letter } from '../../auth/scope.ts';
import { recordNotWritable } from '../../auth/refusals.ts';
import { isId } from '../../fhir/reference.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import type { FormerVersion } from './client-record.ts';

/** The record that a write concerns, as its caller may see it. */
export type Current =
  | { readonly is: 'record'; readonly version: FormerVersion }
  /** Deleted, which the caller may know. */
  | { readonly is: 'deleted'; readonly version: StoredVersion }
  /** There is none, or none for the caller, who may take its id only if it is free. */
  | { readonly is: 'none'; readonly isFree: boolean };

/**
 * The current version of the record that a request writes to. One that the caller may neither write nor read does not
 * exist for the caller; neither does a deleted one, unless the caller may write its last content. Throws FhirError 403
 * for a record that the caller may read, but not write.
 */
export async function findCurrent(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  request: Pick<FhirRequest, 'base' | 'access' | 'id'>,
  partition: Partition,
  letter: Letter,
): Promise<Current> {
  const { id = '' } = request;
  const found = isId(id) ? await partition.read(type.name, id) : undefined;
  return currentOf(engine, type, request, partition, { letter, found });
}

/** The same of a current version that has been read. */
export async function currentOf(
  { model, extract }: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  { base, access }: Pick<FhirRequest, 'base' | 'access'>,
  partition: Partition,
  { letter, found }: { readonly letter: Letter; readonly found: StoredVersion | undefined },
): Promise<Current> {
  if (found === undefined) return { is: 'none', isFree: true };
  const place = { model, extract, base, partition };
  const last = hasText(found) ? found : await partition.read(type.name, found.id, found.version - 1);
  const rule = restriction(access, type, letter);
  const isWithinRule =
    last === undefined || !hasText(last) ? rule.kind === 'all' : isWithin(rule, type, last, extract, partition);
  if (!hasText(found)) return isWithinRule ? { is: 'deleted', version: found } : { is: 'none', isFree: false };
  // Of an update the whole change is decided with the new content.
  const isOpen = letter === 'd' ? isWritable(access, type, letter, { before: found }, place) : isWithinRule;
  if (isOpen) return { is: 'record', version: found };
  if (isWithinRule || isWithin(restriction(access, type, 'r'), type, found, extract, partition))
    throw recordNotWritable(base, type.name);
  return { is: 'none', isFree: false };
}
