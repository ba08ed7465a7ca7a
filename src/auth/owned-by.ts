import type { Extract } from '../indexing/extract.ts';
import { withOnly } from '../indexing/only.ts';
import { idOfOwner, ownersOf } from '../indexing/owners.ts';
import { defaultCompartment } from '../model/access-rules.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { StoredVersion } from '../store/port/records.ts';
import type { AccessPlace } from './criteria.ts';

/**
 * The resources of a type that belong to a patient: by the parameters that its `access-link` names, or the patient
 * itself. `base` is that of the partition. Undefined if resources of the type belong to no patient.
 */
export function ownedBy(
  { model, base }: Pick<AccessPlace, 'model' | 'base'>,
  type: ResourceType,
  patient: string,
): Query | undefined {
  const owner = ownerType(model);
  if (type.name === owner) return { kind: 'id', anyOf: [patient] };
  const links = type.accessLinks.filter(({ compartment }) => compartment === owner);
  const of = links.flatMap(({ parameter }) => type.indexed.get(parameter) ?? []);
  return owner === undefined || of.length === 0
    ? undefined
    : { kind: 'owner', compartment: owner, id: patient, base, of };
}

/** The type of the owners of records; undefined if no such compartment is loaded. */
export const ownerType = (model: Model): string | undefined =>
  [...model.compartments.values()].find(({ url }) => url === defaultCompartment)?.code;

/** What the owners of a record are derived with. */
interface OwnerPlace {
  readonly model: Model;
  readonly extract: Extract;
  /** `{publicUrl}/r4/{partition}`. */
  readonly base: string;
  readonly partition: Pick<Partition, 'id' | 'settings'>;
}

/** The ids of the patients of this partition to whom a record belongs by its `access-link`s. */
export function ownersOfRecord(
  type: ResourceType,
  record: Pick<StoredVersion, 'owners'> & { readonly text: string },
  { model, extract, base, partition: { id, settings } }: OwnerPlace,
): readonly string[] {
  const owner = ownerType(model);
  if (owner === undefined) return [];
  const params = type.accessLinks.flatMap(({ parameter }) => type.indexed.get(parameter) ?? []);
  const owners =
    record.owners ?? ownersOf(type, extract(withOnly(type, params), record.text, { id, zone: settings.zone }));
  return owners.map(one => idOfOwner(one, owner, base)).filter(one => one !== undefined);
}
