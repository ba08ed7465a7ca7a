import { fhirError } from '../fhir/error.ts';
import type { PartitionIdentity } from '../store/partitions.ts';
import type { Store } from '../store/store.ts';

/** The partition of an id. Throws FhirError 404 with the form of a base URL if there is none. */
export async function findPartition(
  store: Pick<Store, 'partition'>,
  publicUrl: string,
  id = '',
): Promise<PartitionIdentity> {
  const found = /^[a-z0-9-]{1,32}$/.test(id) ? await store.partition(id) : undefined;
  if (found === undefined) {
    const text = `There is no partition \`${id}\`. The base URL is \`${publicUrl}/r4/{partition}\`.`;
    throw fhirError(404, 'not-found', text);
  }
  return { id: found.id, settings: found.settings };
}
