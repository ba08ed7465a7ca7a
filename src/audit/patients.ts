import { ownerType } from '../auth/owned-by.ts';
import { TextDamaged } from '../fhir/stored-text.ts';
import type { Extract } from '../indexing/extract.ts';
import { idOfOwner, ownersIn } from '../indexing/owners.ts';
import type { Model } from '../model/model.ts';
import type { PartitionIdentity } from '../store/port/partitions.ts';
import type { StoredVersion } from '../store/port/records.ts';

/** Adds the ids of the owners of a record, by the access links of its type. */
export type AddPatients = (
  found: Set<string>,
  record: Pick<StoredVersion, 'type' | 'id' | 'text' | 'owners'>,
  partition: PartitionIdentity,
) => void;

/**
 * Creates the function that finds the owners of records: they are stored with them, or derived from their text if they
 * are not; a damaged record has none, and is left out of the event. `publicUrl` is that of the server.
 */
export function createAddPatients(model: Model, extract: Extract, publicUrl: string): AddPatients {
  const owner = ownerType(model);
  const derived: Derive = ({ type: name, text }, partition) => {
    const type = model.types.get(name);
    if (type === undefined || text === undefined) return [];
    try {
      return ownersIn(extract, type, { text }, partition) ?? [];
    } catch (error) {
      if (error instanceof TextDamaged) return [];
      throw error;
    }
  };
  return (found, record, partition) => {
    if (owner === undefined || record.text === undefined) return;
    if (record.type === owner) found.add(record.id);
    const base = `${publicUrl}/r4/${partition.id}`;
    for (const one of record.owners ?? derived(record, partition)) {
      const id = idOfOwner(one, owner, base);
      if (id !== undefined) found.add(id);
    }
  };
}

type Derive = (record: Pick<StoredVersion, 'type' | 'text'>, partition: PartitionIdentity) => readonly string[];
