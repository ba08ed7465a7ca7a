import { findPartition } from '../../http/request/partition.ts';
import type { Store } from '../../store/port/store.ts';
import type { PartitionIdentity } from '../../store/port/partitions.ts';

/** A partition. */
export interface Place {
  readonly partition: PartitionIdentity;
  /** `{publicUrl}/r4/{partition}`, no trailing slash. */
  readonly base: string;
}

/** The partition of an id. Throws FhirError 404 if there is none. */
export async function findPlace(
  { engine, publicUrl }: { readonly engine: { readonly store: Pick<Store, 'partition'> }; readonly publicUrl: string },
  id: string | undefined,
): Promise<Place> {
  const partition = await findPartition(engine.store, publicUrl, id);
  return { partition, base: `${publicUrl}/r4/${partition.id}` };
}
