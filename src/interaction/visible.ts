import type { Access } from '../auth/access.ts';
import type { Partition } from '../store/port/partitions.ts';
import { isVersionWithin, isWithin, restriction } from '../auth/restrict.ts';
import { fhirError, gone, notFound } from '../fhir/error.ts';
import { isId } from '../fhir/reference.ts';
import type { ResourceType } from '../model/model.ts';
import { hasText } from '../store/port/records.ts';
import type { StoredVersion, VersionWithText } from '../store/port/records.ts';
import type { Engine } from './interaction.ts';
import { isOpenByContext } from './security-context.ts';

/** The record that is requested, and its caller. */
interface Requested {
  readonly partition: Partition;
  readonly access: Access;
  readonly id: string;
}

/**
 * The resource of a type with an id, if the caller may read it. Throws FhirError 404 if it never existed (also for an
 * invalid id, or one that the caller may not see) and 410 if it was deleted, which is returned only to callers who may
 * see every record of the type. https://hl7.org/fhir/R4/http.html#read
 */
export async function findVisible(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested,
): Promise<VersionWithText> {
  const found = await visible(engine, type, requested, await readLast(type, requested));
  if (!hasText(found)) throw gone(type.name, requested.id, found.version);
  return found;
}

/** The same, but for a deleted record its tombstone. */
export async function findLast(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested,
): Promise<StoredVersion> {
  return visible(engine, type, requested, await readLast(type, requested));
}

const readLast = (
  { name }: ResourceType,
  { partition, id }: Requested,
): Promise<StoredVersion | undefined> | undefined => (isId(id) ? partition.read(name, id) : undefined);

/** The current version, if the caller may read it. Throws FhirError 404. */
async function visible(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested,
  found: StoredVersion | undefined,
): Promise<StoredVersion> {
  const { partition, access, id } = requested;
  if (found === undefined) throw notFound(type.name, id);
  const rule = restriction(access, type, 'r');
  if (!hasText(found)) {
    if (rule.kind !== 'all') throw notFound(type.name, id);
    return found;
  }
  const isVisible =
    isWithin(rule, type, found, engine.extract, partition) || (await isOpenByContext(engine, type, requested, found));
  if (!isVisible) throw notFound(type.name, id);
  return found;
}

/**
 * A version of a resource, if the caller may read it and the current one. Throws FhirError 404 if there is none, and
 * 410 for the version by which it was deleted. https://hl7.org/fhir/R4/http.html#vread
 */
export async function findVersion(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested & { readonly version: string },
): Promise<VersionWithText> {
  const { partition, access, id } = requested;
  const current = await findLast(engine, type, requested);
  const number = /^[1-9]\d{0,14}$/.test(requested.version) ? Number(requested.version) : 0;
  const isKept = type.readHistory && number > 0 && number < current.version;
  const version =
    number === current.version ? current : isKept ? await partition.read(type.name, id, number) : undefined;
  const rule = restriction(access, type, 'r');
  if (version === undefined) throw noVersion(type.name, id, requested.version);
  const isVisible =
    isVersionWithin(rule, type, { version, current }, engine.extract, partition) ||
    (hasText(version) && (await isOpenByContext(engine, type, requested, version))); // the current one is visible
  if (!isVisible) throw noVersion(type.name, id, requested.version);
  if (!hasText(version)) throw gone(type.name, id, version.version);
  return version;
}

const noVersion = (type: string, id: string, version: string) =>
  fhirError(404, 'not-found', `${type}/${id} has no version \`${version}\`.`);
